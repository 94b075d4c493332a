// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "agent/inventory/node_view.h"
#include "model/inventory.h"

namespace aliquot::agent {

// The node labels by which people select GPU nodes, written where NVIDIA's feature discovery does
// not write them. Names and forms are that program's (github.com/NVIDIA/k8s-device-plugin,
// docs/gpu-feature-discovery): nvidia.com/gpu.product, .memory (MiB of one card), .count.

using LabelMap = std::map<std::string, std::string, std::less<>>;

// A model's name as a label value: blanks become dashes, what no label may hold is left out, at
// most 63 bytes. "" when nothing is left.
std::string LabelOfModel(std::string_view model);

// What the labels should say of the cards that are ours: the count, and model and memory where all
// those cards agree. Empty when there is none.
LabelMap WantedGpuLabels(const model::Inventory& inventory);

struct LabelPlan {
  // What to write; nothing = remove the label.
  std::map<std::string, std::optional<std::string>, std::less<>> changes;
  // What the annotation aliquot.io/gpu-labels is to say then; "" = it is to go.
  std::string remembered;
  bool remember = false;  // the annotation differs from that now
};

// A label is ours while it holds what we remember having written. One that somebody else wrote, or
// took away, is theirs: it stays as it is. Where feature discovery runs (nvidia.com/gfd.timestamp),
// all are. Pure and thread-safe.
LabelPlan PlanGpuLabels(const LabelMap& wanted, const NodeView& node);

}  // namespace aliquot::agent
