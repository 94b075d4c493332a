// SPDX-License-Identifier: Apache-2.0
#include "scoring/whole_fit.h"

namespace aliquot::scoring {

topology::CardSet IdleCards(const NodeState& node) {
  topology::CardSet idle = 0;
  for (std::size_t i = 0; i < node.card_count; ++i) {
    // CardState::idle() without branches, which ranking would predict wrongly half of the time.
    const CardState& card = node.cards[i];
    const unsigned is_idle =
        unsigned{card.usable} & unsigned{(card.core_used | card.mib_used | card.pods) == 0};
    idle |= topology::CardSet{is_idle} << i;
  }
  return idle;
}

Refusal CheckWhole(const NodeState& node, const model::ContainerDemand& whole,
                   topology::CardSet cards) {
  int usable = 0;
  for (std::size_t i = 0; i < node.card_count; ++i) {
    usable += node.cards[i].usable && topology::Holds(cards, static_cast<int>(i)) ? 1 : 0;
  }
  if (usable < whole.cards) {
    return Refusal::kTooFewCards;
  }
  return topology::CountOf(IdleCards(node) & cards) < whole.cards ? Refusal::kTooFewIdleCards
                                                                  : Refusal::kNone;
}

}  // namespace aliquot::scoring
