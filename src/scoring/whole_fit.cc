// SPDX-License-Identifier: Apache-2.0
#include "scoring/whole_fit.h"

namespace aliquot::scoring {

topology::CardSet IdleCards(const NodeState& node) {
  topology::CardSet idle = 0;
  for (std::size_t i = 0; i < node.card_count; ++i) {
    if (node.cards[i].usable && node.cards[i].idle()) {
      idle |= topology::CardBit(static_cast<int>(i));
    }
  }
  return idle;
}

Refusal CheckWhole(const NodeState& node, const model::ContainerDemand& whole) {
  int usable = 0;
  for (std::size_t i = 0; i < node.card_count; ++i) {
    usable += node.cards[i].usable ? 1 : 0;
  }
  if (usable < whole.cards) {
    return Refusal::kTooFewCards;
  }
  return topology::CountOf(IdleCards(node)) < whole.cards ? Refusal::kTooFewIdleCards
                                                          : Refusal::kNone;
}

}  // namespace aliquot::scoring
