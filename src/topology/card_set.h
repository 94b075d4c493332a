// SPDX-License-Identifier: Apache-2.0
#pragma once

// A set of cards of one node as a bit mask. Pure functions.

#include <cstdint>
#include <vector>

namespace aliquot::topology {

// A set of cards of one node; bit i is card i of the inventory. A node has at most 64 cards.
using CardSet = std::uint64_t;

inline constexpr int kMaxCards = 64;

inline CardSet CardBit(int card) { return CardSet{1} << card; }
inline bool Holds(CardSet set, int card) { return (set >> card & 1) != 0; }
inline int CountOf(CardSet set) { return __builtin_popcountll(set); }
// Pre: set is not empty.
inline int LowestOf(CardSet set) { return __builtin_ctzll(set); }
inline CardSet WithoutLowest(CardSet set) { return set & (set - 1); }

// Ascending.
inline std::vector<int> IndicesOf(CardSet set) {
  std::vector<int> cards;
  for (; set != 0; set = WithoutLowest(set)) {
    cards.push_back(LowestOf(set));
  }
  return cards;
}

// Of two sets of equal size: does `a` come first when both are written as ascending indices?
inline bool LowerIndices(CardSet a, CardSet b) {
  const CardSet differ = a ^ b;
  return (a & differ & (~differ + 1)) != 0;
}

}  // namespace aliquot::topology
