// SPDX-License-Identifier: Apache-2.0
#pragma once

// Every subset of a node's cards with its connectedness, ranked once. Immutable once filled;
// thread-safe.

#include <cstdint>
#include <vector>

#include "topology/card_set.h"
#include "topology/connectedness.h"

namespace aliquot::topology {

// 2^16 subsets are ranked in some milliseconds and take about 0.9 MB; more cards get no table.
inline constexpr int kMaxTableCards = 16;

class SubsetTable {
 public:
  SubsetTable() = default;
  // `gbps` is square, row by row, symmetric, 0 to 65535 each; `numa` has one entry a card. Pre: at
  // most kMaxTableCards cards.
  SubsetTable(const std::vector<int>& gbps, const std::vector<int>& numa);

  const Connectedness& Of(CardSet set) const { return of_[set]; }
  // The best subset of `free` with `count` cards, ties to the lowest indices; 0 when there is none.
  CardSet Best(CardSet free, int count) const;

 private:
  void FillSums(const std::vector<int>& gbps, const std::vector<int>& numa);
  void FillRings(const std::vector<int>& gbps);
  void Rank();

  int cards_ = 0;
  std::vector<Connectedness> of_;                   // by mask
  std::vector<std::vector<std::uint16_t>> ranked_;  // by count: masks, best first
};

}  // namespace aliquot::topology
