// SPDX-License-Identifier: Apache-2.0
#pragma once

// What remains of a node for later pods when a set of cards is taken (docs/reference/scoring.md,
// "What remains"). Pure; thread-safe.
//
// The figure is, in units of a sixteenth, what the node's pairs are expected to be worth when the
// next pod comes, less what they were worth before: by then a card in use is free again with chance
// one in four, so a pair of free cards counts 16 sixteenths of its worth, one free card and one in
// use 4, two in use 1. The set itself stays together and comes back together: its pairs count in
// full. Written with N all cards of the node, F the free ones and S the set:
//
//   remaining = 16 pairs(S) + V(F - S) - V(F),  V(X) = 15 pairs(X) + 3 pairs between X and N - X
//
// A pair is worth its GB/s times 65,536, plus one where both cards are on one known NUMA node.

#include <cstdint>
#include <vector>

#include "topology/set_objective.h"

namespace aliquot::topology {

// By far more than all pairs of 64 cards can count for their NUMA nodes: GB/s decide first.
inline constexpr std::int64_t kWorthOfOneGbps = 65536;

// What one pair is worth. Pre: a != b.
inline std::int64_t WorthOfPair(const SetShape& shape, int a, int b) {
  const bool one_numa = shape.Numa(a) == shape.Numa(b) && shape.Numa(a) >= 0;
  return kWorthOfOneGbps * shape.Gbps(a, b) + (one_numa ? 1 : 0);
}

// By plain sums, on nodes of any size. Pre: `set` is part of `free`, `free` of the node's cards.
std::int64_t RemainingAfter(const SetShape& shape, CardSet set, CardSet free);

// The same by two look-ups, on nodes with a table.
class RemainingTable {
 public:
  RemainingTable() = default;
  explicit RemainingTable(const SetShape& shape);

  std::int64_t After(CardSet set, CardSet free) const {
    return 16 * pairs_[set] + value_[free & ~set] - value_[free];
  }

 private:
  std::vector<std::int64_t> pairs_;  // by set: the worth of its pairs
  std::vector<std::int64_t> value_;  // by free cards: V
};

}  // namespace aliquot::topology
