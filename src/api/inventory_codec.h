// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "model/inventory.h"

namespace aliquot::api {

// The node annotation aliquot.io/gpu-inventory, version 1 (docs/reference/annotations.md):
//   {"v":1,"driver":"..","models":["..",..],
//    "cards":[[uuid,minor,model index,MiB,PCI id,NUMA node,compute capability,health,mode],..],
//    "links":"<upper triangle row by row, comma separated; empty = unknown>"}
// Optional keys: state ("leaving" is read, any other value ignored); nics and gbps are ignored
// here. Unknown keys and elements past the ninth of a card are ignored: a later minor form may add
// them.
inline constexpr int kInventoryVersion = 1;
inline constexpr std::size_t kMaxCardsPerNode = 64;

// Pure and thread-safe. Refused with one sentence naming field, value and remedy: an unknown
// version, more than 64 cards, a repeated UUID or minor number, a negative size, a triangle of the
// wrong length.
Result<model::Inventory> ParseInventory(std::string_view json);

// The same format; equal inventories give equal bytes. Pre: the inventory would pass
// ParseInventory.
std::string FormatInventory(const model::Inventory& inventory);

}  // namespace aliquot::api
