// SPDX-License-Identifier: Apache-2.0
#include "ledger/card_uses.h"

namespace aliquot::ledger {

CardUses UsesOf(const model::PodDemand& demand, const model::CardsOfContainers& cards,
                const model::Inventory& inventory) {
  std::vector<std::int64_t> card_mib;
  for (const model::Card& card : inventory.cards) {
    card_mib.push_back(card.mib);
  }
  const std::vector<model::CardUse> peak = model::PeakUse(demand, cards, card_mib);
  CardUses uses;
  for (std::size_t card = 0; card < peak.size(); ++card) {
    if (peak[card].pods > 0) {
      uses.emplace_back(static_cast<int>(card), peak[card]);
    }
  }
  return uses;
}

void AddUses(const CardUses& uses, int sign, std::vector<model::CardUse>& sums) {
  for (const auto& [card, use] : uses) {
    if (static_cast<std::size_t>(card) >= sums.size()) {
      continue;  // of a card that left the node
    }
    model::CardUse& sum = sums[static_cast<std::size_t>(card)];
    sum.core += sign * use.core;
    sum.mib += sign * use.mib;
    sum.pods += sign * use.pods;
  }
}

void ShowUse(const model::CardUse& use, scoring::CardState& card) {
  card.core_used = Clamped<std::int16_t>(use.core);
  card.mib_used = Clamped<std::int32_t>(use.mib);
  card.pods = Clamped<std::int16_t>(use.pods);
}

}  // namespace aliquot::ledger
