// SPDX-License-Identifier: Apache-2.0
#include "scoring/policy.h"

#include <algorithm>

namespace aliquot::scoring {

int Policy::ChooseCard(const NodeState& node, const Ask& ask, const model::ContainerDemand& share,
                       topology::CardSet candidates) const {
  int best = topology::LowestOf(candidates);
  std::int64_t best_rank = RankCard(node, ask, share, best);
  for (topology::CardSet left = topology::WithoutLowest(candidates); left != 0;
       left = topology::WithoutLowest(left)) {
    const int card = topology::LowestOf(left);
    const std::int64_t rank = RankCard(node, ask, share, card);
    best = rank > best_rank ? card : best;
    best_rank = std::max(rank, best_rank);
  }
  return best;
}

}  // namespace aliquot::scoring
