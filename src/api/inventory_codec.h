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
// Optional keys:
//   "nics":[[name,PCI id,NUMA node,"<class to each card, comma separated>"],..]
//   "gbps":"<measured GB/s one way, whole numbers, the triangle of links; 0 = not measured>"
//   "state":"leaving" (any other value is ignored)
// About 1 KB for 8 cards, 3 KB with NICs and figures. Unknown keys and elements past the ninth of a
// card are ignored: a later minor form may add them.
inline constexpr int kInventoryVersion = 1;
inline constexpr std::size_t kMaxCardsPerNode = 64;

// Pure and thread-safe. Refused with one sentence naming field, value and remedy: an unknown
// version, more than 64 cards or NICs, a repeated UUID or minor number, a negative size or figure,
// a triangle or a NIC's classes of the wrong length.
Result<model::Inventory> ParseInventory(std::string_view json);

// The same format; equal inventories give equal bytes. Pre: the inventory would pass
// ParseInventory.
std::string FormatInventory(const model::Inventory& inventory);

}  // namespace aliquot::api
