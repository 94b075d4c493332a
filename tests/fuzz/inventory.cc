// SPDX-License-Identifier: Apache-2.0
#include "api/inventory_codec.h"

#include "tests/fuzz/fuzz_targets.h"

namespace aliquot::fuzz {

void Inventory(std::string_view input) {
  const auto inventory = api::ParseInventory(input);
  if (!inventory.ok()) {
    Require(!inventory.status().message().empty());
    return;
  }
  const std::size_t cards = inventory->cards.size();
  Require(cards <= api::kMaxCardsPerNode);
  Require(inventory->links.empty() || inventory->links.size() == cards * (cards - 1) / 2);
  Require(inventory->gbps.empty() || inventory->gbps.size() == cards * (cards - 1) / 2);
  for (const model::Nic& nic : inventory->nics) {
    Require(nic.to_cards.size() == cards);
  }
  const std::string text = api::FormatInventory(*inventory);
  const auto again = api::ParseInventory(text);
  Require(again.ok() && api::FormatInventory(*again) == text);
}

}  // namespace aliquot::fuzz
