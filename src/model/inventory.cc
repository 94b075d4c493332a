// SPDX-License-Identifier: Apache-2.0
#include "model/inventory.h"

#include <string_view>

#include "base/strings.h"

namespace aliquot::model {

bool operator==(const Card& a, const Card& b) {
  return a.uuid == b.uuid && a.minor == b.minor && a.model == b.model && a.mib == b.mib &&
         a.pci == b.pci && a.numa == b.numa && a.compute_capability == b.compute_capability &&
         a.health == b.health && a.mode == b.mode;
}

bool operator==(const Nic& a, const Nic& b) {
  return a.name == b.name && a.pci == b.pci && a.numa == b.numa && a.to_cards == b.to_cards;
}

bool SameInventory(const std::shared_ptr<const Inventory>& a,
                   const std::shared_ptr<const Inventory>& b) {
  if (a == b) {
    return true;
  }
  return a != nullptr && b != nullptr && a->driver == b->driver && a->leaving == b->leaving &&
         a->cards == b->cards && a->links == b->links && a->nics == b->nics && a->gbps == b->gbps;
}

int Inventory::IndexOfUuid(std::string_view uuid) const {
  for (std::size_t i = 0; i < cards.size(); ++i) {
    if (cards[i].uuid == uuid) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

int Inventory::IndexOfMinor(int minor) const {
  for (std::size_t i = 0; i < cards.size(); ++i) {
    if (cards[i].minor == minor) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

void SetShape(Inventory& inventory) {
  std::string shape;
  for (const Card& card : inventory.cards) {
    shape += std::to_string(card.numa);
    shape += ' ';
  }
  shape += '|';
  shape += Join(inventory.links, ",");
  for (const Nic& nic : inventory.nics) {
    shape += "|nic " + std::to_string(nic.numa) + ' ' + Join(nic.to_cards, ",");
  }
  if (!inventory.gbps.empty()) {
    shape += "|gbps";
    for (const int gbps : inventory.gbps) {
      shape += ' ' + std::to_string(gbps);
    }
  }
  inventory.shape = std::move(shape);
}

}  // namespace aliquot::model
