// SPDX-License-Identifier: Apache-2.0
#include "model/inventory.h"

#include <string_view>

#include "base/strings.h"

namespace aliquot::model {

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
  inventory.shape = std::move(shape);
}

}  // namespace aliquot::model
