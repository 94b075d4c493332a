// SPDX-License-Identifier: Apache-2.0
#pragma once

// Figures that several policies share. Pure, thread-safe; no allocation.

#include <algorithm>
#include <cstdint>

#include "model/demand.h"
#include "scoring/node_state.h"

namespace aliquot::scoring {

// Two figures in permille.
struct Permille {
  std::int64_t core = 0;
  std::int64_t memory = 0;

  std::int64_t sum() const { return core + memory; }
};

// part * 1000 / total, rounded toward 0; total is taken as 1 when it is not positive. Ranking
// divides once a card, and sizes up to 4 million MiB divide in 32 bits, several times faster.
inline std::int64_t PermilleOf(std::int64_t part, std::int64_t total) {
  constexpr std::int64_t kNarrow = std::int64_t{1} << 22;
  if (part >= 0 && part < kNarrow && total > 0 && total < kNarrow) {
    return static_cast<std::uint32_t>(part) * 1000U / static_cast<std::uint32_t>(total);
  }
  return part * 1000 / std::max<std::int64_t>(1, total);
}

// What is left of the card once `share` is on it.
inline Permille LeftOnCard(const CardState& card, const model::ContainerDemand& share) {
  Permille left;
  left.core = std::int64_t{card.core_free() - share.core} * 10;
  left.memory = PermilleOf(card.mib_free() - share.mib, card.mib_total);
  return left;
}

// How much of the node's usable cards is taken now. Both 0 when it has none.
Permille UsedOfNode(const NodeState& node);

}  // namespace aliquot::scoring
