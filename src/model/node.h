// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "model/host.h"
#include "model/inventory.h"

namespace aliquot::model {

// What Aliquot needs of a Kubernetes Node. Plain values; the inventory is shared and immutable.
struct Node {
  std::string name;
  std::string uid;
  std::string resource_version;
  bool unschedulable = false;  // cordoned
  // status.allocatable; nothing when the node does not say.
  std::optional<HostAmount> allocatable;
  // nullptr when the annotation is missing or unreadable; then `inventory_problem` says which, in
  // one sentence ("" = missing).
  std::shared_ptr<const Inventory> inventory;
  std::string inventory_problem;
};

}  // namespace aliquot::model
