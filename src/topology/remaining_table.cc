// SPDX-License-Identifier: Apache-2.0
#include "topology/remaining_table.h"

#include <cstddef>

namespace aliquot::topology {
namespace {

std::int64_t WorthToOthers(const SetShape& shape, int card, CardSet others) {
  std::int64_t sum = 0;
  for (CardSet rest = others & ~CardBit(card); rest != 0; rest = WithoutLowest(rest)) {
    sum += WorthOfPair(shape, card, LowestOf(rest));
  }
  return sum;
}

}  // namespace

std::int64_t RemainingAfter(const SetShape& shape, CardSet set, CardSet free) {
  // The definition pair by pair: inside S 16 - 15; from S to another free card 3 - 15; from S to a
  // card in use 0 - 3.
  const CardSet in_use = shape.all() & ~free;
  std::int64_t inside_twice = 0;
  std::int64_t to_free = 0;
  std::int64_t to_used = 0;
  for (CardSet rest = set; rest != 0; rest = WithoutLowest(rest)) {
    inside_twice += WorthToOthers(shape, LowestOf(rest), set);
    to_free += WorthToOthers(shape, LowestOf(rest), free & ~set);
    to_used += WorthToOthers(shape, LowestOf(rest), in_use);
  }
  return inside_twice / 2 - 12 * to_free - 3 * to_used;
}

RemainingTable::RemainingTable(const SetShape& shape)
    : pairs_(std::size_t{1} << shape.card_count()), value_(pairs_.size()) {
  std::vector<std::int64_t> to_all(shape.numa.size());
  for (int card = 0; card < shape.card_count(); ++card) {
    to_all[static_cast<std::size_t>(card)] = WorthToOthers(shape, card, shape.all());
  }
  // V(X) = 9 pairs(X) + 3 of each card's worth to all others: that counts a pair inside X twice.
  std::vector<std::int64_t> degrees(pairs_.size());
  for (std::size_t set = 1; set < pairs_.size(); ++set) {
    const CardSet rest = WithoutLowest(set);
    const int lowest = LowestOf(set);
    pairs_[set] = pairs_[rest] + WorthToOthers(shape, lowest, rest);
    degrees[set] = degrees[rest] + to_all[static_cast<std::size_t>(lowest)];
    value_[set] = 9 * pairs_[set] + 3 * degrees[set];
  }
}

}  // namespace aliquot::topology
