// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/pod.h"

namespace aliquot::agent {

// What was written for a container when its grant was filled, by this agent or the one before it.
struct RecalledGrant {
  std::string uid;
  model::PodKey key;
  std::string container;
  model::ContainerKind kind = model::ContainerKind::kApp;
  std::string allocation;  // the record that was judged, and its signature
  std::string signature;
  int core = 0;  // percent, all cards together
};

// The grants that lie on disk. Thread-safe; answers from memory.
class RecalledGrants {
 public:
  virtual ~RecalledGrants() = default;

  // The grant of this name (grant_name.h), or nothing.
  virtual std::optional<RecalledGrant> Find(std::string_view name) const = 0;
  // Does any grant lie there for this container?
  virtual bool Filled(std::string_view uid, std::string_view container) const = 0;
};

}  // namespace aliquot::agent
