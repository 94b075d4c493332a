// SPDX-License-Identifier: Apache-2.0
#include "scoring/policy.h"

#include <cstddef>

namespace aliquot::scoring {

void Policy::RankCards(const NodeState& node, const Ask& ask, const model::ContainerDemand& share,
                       topology::CardSet candidates, CardRanks& ranks) const {
  for (; candidates != 0; candidates = topology::WithoutLowest(candidates)) {
    const int card = topology::LowestOf(candidates);
    ranks[static_cast<std::size_t>(card)] = RankCard(node, ask, share, card);
  }
}

int Policy::ChooseCard(const NodeState& node, const Ask& ask, const model::ContainerDemand& share,
                       topology::CardSet candidates) const {
  int best = topology::LowestOf(candidates);
  topology::CardSet left = topology::WithoutLowest(candidates);
  if (left == 0) {
    return best;
  }
  CardRanks ranks;
  RankCards(node, ask, share, candidates, ranks);
  for (; left != 0; left = topology::WithoutLowest(left)) {
    const int card = topology::LowestOf(left);
    if (ranks[static_cast<std::size_t>(card)] > ranks[static_cast<std::size_t>(best)]) {
      best = card;
    }
  }
  return best;
}

}  // namespace aliquot::scoring
