// SPDX-License-Identifier: Apache-2.0
#include "scoring/fullness.h"

#include <algorithm>

namespace aliquot::scoring {

Permille LeftOnCard(const CardState& card, const model::ContainerDemand& share) {
  Permille left;
  left.core = std::int64_t{card.core_free() - share.core} * 10;
  left.memory = (card.mib_free() - share.mib) * 1000 / std::max(1, card.mib_total);
  return left;
}

Permille UsedOfNode(const NodeState& node) {
  std::int64_t cards = 0;
  std::int64_t core = 0;
  std::int64_t mib = 0;
  std::int64_t mib_total = 0;
  for (std::size_t i = 0; i < node.card_count; ++i) {
    const CardState& card = node.cards[i];
    if (card.usable) {
      ++cards;
      core += card.core_used;
      mib += card.mib_used;
      mib_total += card.mib_total;
    }
  }
  Permille used;
  used.core = core * 10 / std::max<std::int64_t>(1, cards);
  used.memory = mib * 1000 / std::max<std::int64_t>(1, mib_total);
  return used;
}

}  // namespace aliquot::scoring
