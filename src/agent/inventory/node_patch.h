// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "agent/inventory/gpu_labels.h"
#include "agent/inventory/node_view.h"

namespace aliquot::agent {

// What the agent wants its Node object to say.
struct NodeWish {
  std::string inventory;      // api::FormatInventory
  LabelMap labels;            // WantedGpuLabels
  std::string startup_taint;  // key of the taint that goes once the inventory is there; "" = none

  friend bool operator==(const NodeWish& a, const NodeWish& b) {
    return a.inventory == b.inventory && a.labels == b.labels && a.startup_taint == b.startup_taint;
  }
};

inline constexpr std::string_view kJsonPatch = "application/json-patch+json";

struct NodePatch {
  // RFC 7386 merge patch of annotations and labels, guarded by the UID, and by the resourceVersion
  // where it touches labels, which others write too; "" = nothing to change.
  std::string metadata;
  // RFC 6902 patch that removes the startup taint, with tests of the UID and of each taint's place;
  // "" = nothing to change, or the inventory is not there yet.
  std::string taints;

  bool empty() const { return metadata.empty() && taints.empty(); }
};

// What is left to write so that `node` says what is wished for; empty when it does already. Pure
// and thread-safe.
NodePatch PlanNodePatch(const NodeView& node, const NodeWish& wish);

}  // namespace aliquot::agent
