// SPDX-License-Identifier: Apache-2.0
#pragma once

// What remains of a node for later pods when a set of cards is taken (docs/reference/scoring.md,
// "What remains"). Pure; thread-safe.
//
// In sixteenths of what a pair is worth: the pairs of the set, in full, as the pod itself has them;
// and the change of what all pairs are expected to be worth to the next pod. By then a card in use
// is free again with chance one in four: a pair of free cards counts 16, one free card and one in
// use 4, two in use 1. With N all cards of the node, F the free ones, S the set and V without the
// constant:
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
  return kWorthOfOneGbps * shape.Gbps(a, b) + (shape.OneNuma(a, b) ? 1 : 0);
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
