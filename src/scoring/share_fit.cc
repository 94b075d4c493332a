// SPDX-License-Identifier: Apache-2.0
#include "scoring/share_fit.h"

#include <algorithm>
#include <cstdint>

namespace aliquot::scoring {
namespace {

bool HasRoom(const CardState& card, const model::ContainerDemand& share) {
  return card.core_free() >= share.core && card.mib_free() >= share.mib;
}

// Without branches: whether a card fits is as good as random, and a wrongly predicted branch costs
// more than the rest of the test.
topology::CardSet FittingCards(const NodeState& node, const model::ContainerDemand& share,
                               int max_sharers) {
  topology::CardSet fitting = 0;
  for (std::size_t i = 0; i < node.card_count; ++i) {
    const CardState& card = node.cards[i];
    const unsigned fits = unsigned{card.usable} & unsigned{card.pods < max_sharers} &
                          unsigned{card.core_free() >= share.core} &
                          unsigned{card.mib_free() >= share.mib};
    fitting |= topology::CardSet{fits} << i;
  }
  return fitting;
}

// Only the refused come here: the reason needs more figures than the verdict.
Refusal WhyNot(const NodeState& node, const model::ContainerDemand& share,
               topology::CardSet cards) {
  int usable = 0;
  int large_enough = 0;
  int with_room = 0;
  std::int64_t core_free = 0;
  std::int64_t mib_free = 0;
  for (std::size_t i = 0; i < node.card_count; ++i) {
    const CardState& card = node.cards[i];
    if (!card.usable || !topology::Holds(cards, static_cast<int>(i))) {
      continue;
    }
    ++usable;
    large_enough += card.mib_total >= share.mib ? 1 : 0;
    with_room += HasRoom(card, share) ? 1 : 0;
    core_free += std::max(0, card.core_free());
    mib_free += std::max(0, card.mib_free());
  }
  if (usable < share.cards) {
    return Refusal::kTooFewCards;
  }
  if (large_enough < share.cards) {
    return Refusal::kCardTooSmall;
  }
  if (with_room >= share.cards) {
    return Refusal::kSharersLimit;
  }
  const bool sum_would_do = core_free >= share.core && mib_free >= share.mib;
  return share.cards == 1 && sum_would_do ? Refusal::kNotOnOneCard : Refusal::kNotEnoughFree;
}

}  // namespace

bool ShareFits(const CardState& card, const model::ContainerDemand& share, int max_sharers) {
  return card.usable && card.pods < max_sharers && HasRoom(card, share);
}

Refusal CheckShare(const NodeState& node, const model::ContainerDemand& share, int max_sharers,
                   topology::CardSet cards) {
  int fitting = 0;
  for (std::size_t i = 0; i < node.card_count; ++i) {
    if (ShareFits(node.cards[i], share, max_sharers) &&
        topology::Holds(cards, static_cast<int>(i)) && ++fitting >= share.cards) {
      return Refusal::kNone;
    }
  }
  return WhyNot(node, share, cards);
}

topology::CardSet ChooseShare(const NodeState& node, const Ask& ask,
                              const model::ContainerDemand& share, int max_sharers,
                              const Policy& policy, topology::CardSet cards) {
  topology::CardSet candidates = FittingCards(node, share, max_sharers) & cards;
  if (topology::CountOf(candidates) < share.cards) {
    return 0;
  }
  topology::CardSet chosen = 0;
  for (int slot = 0; slot < share.cards; ++slot) {
    const int best = policy.ChooseCard(node, ask, share, candidates);
    chosen |= topology::CardBit(best);
    candidates &= ~topology::CardBit(best);
  }
  return chosen;
}

}  // namespace aliquot::scoring
