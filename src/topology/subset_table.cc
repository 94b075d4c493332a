// SPDX-License-Identifier: Apache-2.0
#include "topology/subset_table.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <set>

namespace aliquot::topology {
namespace {

using Mask = std::uint32_t;

// Marks every mask whose cards form a ring of edges that `adjacent` has: `found(mask)` for each.
// By dynamic programming over all masks at once: ends[mask] are the cards at which a path can end
// that starts at the mask's lowest card and visits each of its cards once.
template <typename Found>
void ForEachRing(const std::vector<Mask>& adjacent, std::vector<std::uint16_t>& ends,
                 const Found& found) {
  const Mask all = (Mask{1} << adjacent.size()) - 1;
  std::fill(ends.begin(), ends.end(), std::uint16_t{0});
  for (std::size_t card = 0; card < adjacent.size(); ++card) {
    ends[std::size_t{1} << card] = static_cast<std::uint16_t>(Mask{1} << card);
  }
  for (Mask mask = 1; mask <= all; ++mask) {
    const Mask end = ends[mask];
    if (end == 0) {
      continue;
    }
    const Mask start = mask & (~mask + 1);
    const auto start_card = static_cast<std::size_t>(__builtin_ctz(mask));
    if (CountOf(mask) >= 3 && (end & adjacent[start_card]) != 0) {
      found(mask);
    }
    // Only cards above the start: a ring is found once, from its lowest card.
    for (Mask next = all & ~mask & ~(start - 1); next != 0; next &= next - 1) {
      const auto card = static_cast<std::size_t>(__builtin_ctz(next));
      if ((adjacent[card] & end) != 0) {
        const Mask bit = Mask{1} << card;
        ends[mask | bit] = static_cast<std::uint16_t>(ends[mask | bit] | bit);
      }
    }
  }
}

// The first card becomes the highest bit: among sets of one size the lowest indices are the largest
// number.
std::uint16_t ReverseBits(std::uint16_t mask) {
  std::uint16_t reversed = 0;
  for (int bit = 0; bit < kMaxTableCards; ++bit) {
    reversed = static_cast<std::uint16_t>(reversed << 1 | (mask >> bit & 1));
  }
  return reversed;
}

// Connectedness::BetterThan and the order of indices as one number, larger is better: sorting plain
// numbers is several times faster. A link has at most kMaxNvlinks * kNvlinkGbps = 900 GB/s, 120 of
// them 108,000: the fields are 16, 24, 8 and 16 bits wide.
std::uint64_t RankKey(const Connectedness& of, std::size_t mask) {
  return static_cast<std::uint64_t>(of.ring_gbps) << 48 |
         static_cast<std::uint64_t>(of.total_gbps) << 24 |
         static_cast<std::uint64_t>(kMaxTableCards - of.numa_nodes) << 16 |
         ReverseBits(static_cast<std::uint16_t>(mask));
}

}  // namespace

SubsetTable::SubsetTable(const std::vector<int>& gbps, const std::vector<int>& numa)
    : cards_(static_cast<int>(numa.size())), of_(std::size_t{1} << numa.size()) {
  FillSums(gbps, numa);
  FillRings(gbps);
  Rank();
}

void SubsetTable::FillSums(const std::vector<int>& gbps, const std::vector<int>& numa) {
  const std::size_t count = numa.size();
  for (std::size_t mask = 1; mask < of_.size(); ++mask) {
    // The set without its lowest card is known already: add that card's links and NUMA node.
    const std::size_t rest = mask & (mask - 1);
    const auto lowest = static_cast<std::size_t>(LowestOf(mask));
    Connectedness& entry = of_[mask];
    entry = of_[rest];
    bool new_numa = true;
    for (std::size_t others = rest; others != 0; others &= others - 1) {
      const auto card = static_cast<std::size_t>(LowestOf(others));
      entry.total_gbps += gbps[lowest * count + card];
      new_numa = new_numa && numa[card] != numa[lowest];
    }
    entry.numa_nodes += new_numa ? 1 : 0;
    entry.ring_gbps = CountOf(mask) == 2 ? entry.total_gbps : 0;
  }
}

void SubsetTable::FillRings(const std::vector<int>& gbps) {
  const auto count = static_cast<std::size_t>(cards_);
  std::set<int, std::greater<>> thresholds;
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = a + 1; b < count; ++b) {
      thresholds.insert(gbps[a * count + b]);
    }
  }
  std::vector<std::uint16_t> ends(of_.size());
  std::vector<Mask> adjacent(count);
  for (const int threshold : thresholds) {
    for (std::size_t a = 0; a < count; ++a) {
      adjacent[a] = 0;
      for (std::size_t b = 0; b < count; ++b) {
        adjacent[a] |= a != b && gbps[a * count + b] >= threshold ? Mask{1} << b : Mask{0};
      }
    }
    // Thresholds fall, so the first one that lets a ring through is its smallest edge.
    ForEachRing(adjacent, ends,
                [&](Mask mask) { of_[mask].ring_gbps = std::max(of_[mask].ring_gbps, threshold); });
  }
}

void SubsetTable::Rank() {
  std::vector<std::vector<std::uint64_t>> keys(static_cast<std::size_t>(cards_) + 1);
  for (std::size_t mask = 1; mask < of_.size(); ++mask) {
    keys[static_cast<std::size_t>(CountOf(mask))].push_back(RankKey(of_[mask], mask));
  }
  ranked_.resize(keys.size());
  for (std::size_t count = 1; count < keys.size(); ++count) {
    std::sort(keys[count].begin(), keys[count].end(), std::greater<>());
    for (const std::uint64_t key : keys[count]) {
      ranked_[count].push_back(ReverseBits(static_cast<std::uint16_t>(key)));
    }
  }
}

CardSet SubsetTable::Best(CardSet free, int count) const {
  if (count < 1 || count > cards_) {
    return 0;
  }
  for (const std::uint16_t mask : ranked_[static_cast<std::size_t>(count)]) {
    if ((mask & ~free) == 0) {
      return mask;
    }
  }
  return 0;
}

}  // namespace aliquot::topology
