// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "agent/grant/identity.h"

namespace aliquot::agent {

// The grants that lie filled on this node, by this agent or the one before it. Thread-safe; answers
// from memory.
class RecalledGrants {
 public:
  virtual ~RecalledGrants() = default;

  // Whom the grant of this name (grant_name.h) was filled for, as it was judged then (`deleting`
  // and `recalled` mean nothing); nothing when it is not filled.
  virtual std::optional<ContainerIdentity> Find(std::string_view name) const = 0;
  // Is any grant filled for this container?
  virtual bool Filled(std::string_view uid, std::string_view container) const = 0;
};

}  // namespace aliquot::agent
