// SPDX-License-Identifier: Apache-2.0
#include "scoring/fullness.h"

namespace aliquot::scoring {

Permille UsedOfNode(const NodeState& node) {
  std::int64_t percent_total = 0;
  std::int64_t core = 0;
  std::int64_t mib = 0;
  std::int64_t mib_total = 0;
  for (std::size_t i = 0; i < node.card_count; ++i) {
    const CardState& card = node.cards[i];
    if (card.usable) {
      percent_total += model::kWholeCardCore;
      core += card.core_used;
      mib += card.mib_used;
      mib_total += card.mib_total;
    }
  }
  return {PermilleOf(core, percent_total), PermilleOf(mib, mib_total)};
}

}  // namespace aliquot::scoring
