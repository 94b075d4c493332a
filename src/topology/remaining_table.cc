// SPDX-License-Identifier: Apache-2.0
#include "topology/remaining_table.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "topology/ring_table.h"

namespace aliquot::topology {

std::vector<std::int32_t> RemainingTable(const SetShape& shape,
                                         const std::vector<std::uint16_t>& rings) {
  // best[free][count - 1]: the best ring of `count` of the free cards. It is the ring of all of
  // them, or the best after one is gone.
  using Row = std::array<std::uint16_t, kMaxTableCards>;
  const std::size_t sets = std::size_t{1} << shape.card_count();
  std::vector<Row> best(sets);
  std::vector<std::int32_t> remaining(sets);
  for (std::size_t free = 1; free < sets; ++free) {
    Row& of_free = best[free];
    of_free[static_cast<std::size_t>(CountOf(free) - 1)] = rings[free];
    for (CardSet rest = free; rest != 0; rest = WithoutLowest(rest)) {
      const Row& without = best[free & ~CardBit(LowestOf(rest))];
      for (std::size_t count = 0; count < without.size(); ++count) {
        of_free[count] = std::max(of_free[count], without[count]);
      }
    }
    for (const std::uint16_t ring : of_free) {
      remaining[free] += ring;
    }
  }
  return remaining;
}

std::int64_t RemainingPairs(const SetShape& shape, CardSet free) {
  std::int64_t sum = 0;
  for (CardSet a = free; a != 0; a = WithoutLowest(a)) {
    for (CardSet b = WithoutLowest(a); b != 0; b = WithoutLowest(b)) {
      sum += shape.Gbps(LowestOf(a), LowestOf(b));
    }
  }
  return sum;
}

}  // namespace aliquot::topology
