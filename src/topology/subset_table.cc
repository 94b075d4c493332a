// SPDX-License-Identifier: Apache-2.0
#include "topology/subset_table.h"

#include <algorithm>
#include <cstddef>
#include <functional>

namespace aliquot::topology {
namespace {

// The first card becomes the highest bit: among sets of one size the lowest indices are the largest
// number.
std::uint16_t ReverseBits(std::uint16_t set) {
  std::uint16_t reversed = 0;
  for (int bit = 0; bit < kMaxTableCards; ++bit) {
    reversed = static_cast<std::uint16_t>(reversed << 1 | (set >> bit & 1));
  }
  return reversed;
}

// Connectedness::BetterThan and the order of indices as one number, larger is better: sorting plain
// numbers is several times faster. With kMaxGbps a link and 120 pairs the sum is below 2^23: the
// fields are 16, 24, 8 and 16 bits wide.
std::uint64_t RankKey(const Connectedness& of, std::size_t set) {
  return static_cast<std::uint64_t>(of.ring_gbps) << 48 |
         static_cast<std::uint64_t>(of.total_gbps) << 24 |
         static_cast<std::uint64_t>(kMaxTableCards - of.numa_nodes) << 16 |
         ReverseBits(static_cast<std::uint16_t>(set));
}

}  // namespace

SubsetTable::SubsetTable(const SetShape& shape)
    : all_(shape.all()),
      of_(std::size_t{1} << shape.card_count()),
      remaining_(shape),
      all_nvlink_(of_.size(), true),
      one_numa_(of_.size(), true),
      ranked_(static_cast<std::size_t>(shape.card_count()) + 1) {
  FillSums(shape);
  const std::vector<std::uint16_t> rings = RingTable(shape);
  for (std::size_t set = 0; set < of_.size(); ++set) {
    of_[set].ring_gbps = rings[set];
  }
  Rank();
}

void SubsetTable::FillSums(const SetShape& shape) {
  for (std::size_t set = 1; set < of_.size(); ++set) {
    // The set without its lowest card is known already: add that card's links and NUMA node.
    const CardSet rest = WithoutLowest(set);
    const int lowest = LowestOf(set);
    Connectedness& entry = of_[set];
    entry = of_[rest];
    bool new_numa = true;
    bool one_numa = one_numa_[rest];
    for (CardSet others = rest; others != 0; others = WithoutLowest(others)) {
      const int card = LowestOf(others);
      entry.total_gbps += shape.Gbps(lowest, card);
      new_numa = new_numa && shape.Numa(card) != shape.Numa(lowest);
      one_numa = one_numa && shape.OneNuma(card, lowest);
    }
    entry.numa_nodes += new_numa ? 1 : 0;
    one_numa_[set] = one_numa;
    all_nvlink_[set] = all_nvlink_[rest] && (rest & ~shape.Nvlink(lowest)) == 0;
  }
}

void SubsetTable::Rank() {
  std::vector<std::vector<std::uint64_t>> keys(ranked_.size());
  for (std::size_t set = 1; set < of_.size(); ++set) {
    keys[static_cast<std::size_t>(CountOf(set))].push_back(RankKey(of_[set], set));
  }
  for (std::size_t count = 1; count < keys.size(); ++count) {
    std::sort(keys[count].begin(), keys[count].end(), std::greater<>());
    for (const std::uint64_t key : keys[count]) {
      ranked_[count].push_back(ReverseBits(static_cast<std::uint16_t>(key)));
    }
  }
}

bool SubsetTable::Allows(const SetRequest& request, CardSet set) const {
  return (set & ~request.free) == 0 && (!request.all_nvlink || all_nvlink_[set]) &&
         (!request.one_numa || one_numa_[set]);
}

const std::vector<std::uint16_t>& SubsetTable::OfSize(int count) const {
  const bool some = count >= 1 && count < static_cast<int>(ranked_.size());
  return ranked_[some ? static_cast<std::size_t>(count) : 0];
}

SetOrder SubsetTable::OrderOf(const SetRequest& request) const {
  if (!request.sensitive) {
    return SetOrder::kLeavesMost;
  }
  const bool larger_part_of_empty =
      (all_ & ~request.free) == 0 && 2 * request.count > CountOf(all_);
  return request.split_well && larger_part_of_empty ? SetOrder::kSplitsWell
                                                    : SetOrder::kBestConnected;
}

SetValue SubsetTable::ValueOf(CardSet set, CardSet free) const {
  return {of_[set], remaining_.After(set, free), of_[set].ring_gbps + of_[free & ~set].ring_gbps};
}

CardSet SubsetTable::Choose(const SetRequest& request) const {
  const CardSet free = request.free & all_;
  if (CountOf(free) < request.count) {
    return 0;
  }
  const SetOrder order = OrderOf(request);
  CardSet best = 0;
  SetValue best_value;
  for (const std::uint16_t set : OfSize(request.count)) {
    if (!Allows(request, set)) {
      continue;
    }
    if (best != 0 && order == SetOrder::kBestConnected && best_value.of.BetterThan(of_[set])) {
      break;  // the ranking goes down from here
    }
    const SetValue value = ValueOf(set, free);
    if (best == 0 || BetterValue(value, best_value, order)) {
      best = set;
      best_value = value;
    }
  }
  return best;
}

std::vector<CardSet> SubsetTable::Ranked(const SetRequest& request) const {
  std::vector<CardSet> sets;
  for (const std::uint16_t set : OfSize(request.count)) {
    if (Allows(request, set)) {
      sets.push_back(set);
    }
  }
  const CardSet free = request.free & all_;
  // Stable: the ranking has equal sets in the order of their indices already.
  std::stable_sort(sets.begin(), sets.end(), [&](CardSet a, CardSet b) {
    return BetterValue(ValueOf(a, free), ValueOf(b, free), OrderOf(request));
  });
  return sets;
}

}  // namespace aliquot::topology
