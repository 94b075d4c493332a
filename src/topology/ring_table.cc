// SPDX-License-Identifier: Apache-2.0
#include "topology/ring_table.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace aliquot::topology {
namespace {

// One entry a card. Sixteen bytes are one vector register, so a row is compared in one instruction.
using Row = std::array<std::uint8_t, kMaxTableCards>;

// The pairs' GB/s as places in the order of the different figures, from 1: sixteen cards have 120
// pairs at most, so a byte is enough.
struct Levels {
  std::vector<std::uint16_t> gbps;  // by level; level 0 is "no path" and 0 GB/s
  std::vector<Row> between;         // [card][card]; 0 on the diagonal and past the last card
};

constexpr std::uint8_t kAnyLevel = 255;

Levels LevelsOf(const SetShape& shape) {
  Levels levels;
  levels.gbps.push_back(0);
  const int count = shape.card_count();
  for (int a = 0; a < count; ++a) {
    for (int b = a + 1; b < count; ++b) {
      levels.gbps.push_back(static_cast<std::uint16_t>(shape.Gbps(a, b)));
    }
  }
  std::sort(levels.gbps.begin() + 1, levels.gbps.end());
  levels.gbps.erase(std::unique(levels.gbps.begin() + 1, levels.gbps.end()), levels.gbps.end());
  levels.between.resize(static_cast<std::size_t>(count));
  for (int a = 0; a < count; ++a) {
    for (int b = 0; b < count; ++b) {
      const auto found =
          std::lower_bound(levels.gbps.begin() + 1, levels.gbps.end(), shape.Gbps(a, b));
      const auto level = static_cast<std::uint8_t>(found - levels.gbps.begin());
      levels.between[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)] =
          a == b ? std::uint8_t{0} : level;
    }
  }
  return levels;
}

// The largest over all cards of the smaller of the two.
std::uint8_t BestOfSmaller(const Row& a, const Row& b) {
  std::uint8_t best = 0;
  for (std::size_t card = 0; card < a.size(); ++card) {
    best = std::max(best, std::min(a[card], b[card]));
  }
  return best;
}

}  // namespace

std::vector<std::uint16_t> RingTable(const SetShape& shape) {
  const Levels levels = LevelsOf(shape);
  const std::size_t sets = std::size_t{1} << shape.card_count();
  std::vector<std::uint16_t> rings(sets);
  // paths[set][end]: the smallest edge of the best path that starts at the set's lowest card,
  // visits each of its cards once and ends at `end`. (Held and Karp's recurrence, with the smallest
  // edge in place of the sum.)
  std::vector<Row> paths(sets);
  for (std::size_t set = 1; set < sets; ++set) {
    const auto start = static_cast<std::size_t>(LowestOf(set));
    Row& ends = paths[set];
    if ((set & (set - 1)) == 0) {
      ends[start] = kAnyLevel;
      continue;
    }
    for (CardSet rest = WithoutLowest(set); rest != 0; rest = WithoutLowest(rest)) {
      const auto end = static_cast<std::size_t>(LowestOf(rest));
      ends[end] = BestOfSmaller(paths[set & ~(std::size_t{1} << end)], levels.between[end]);
    }
    rings[set] = levels.gbps[BestOfSmaller(ends, levels.between[start])];
  }
  return rings;
}

}  // namespace aliquot::topology
