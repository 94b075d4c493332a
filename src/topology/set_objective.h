// SPDX-License-Identifier: Apache-2.0
#pragma once

// What makes one set of cards better than another (docs/reference/scoring.md, "The best set"):
// plain values and one comparison. Pure, thread-safe. Units: GB/s one way.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "topology/card_set.h"
#include "topology/connectedness.h"

namespace aliquot::topology {

// More than any link of today moves in a second; RankKey of the subset table has room for it.
inline constexpr int kMaxGbps = 65535;

// All that a choice of cards knows of a node.
struct SetShape {
  std::vector<int> gbps;  // square, row by row, symmetric, 0 to kMaxGbps; the diagonal is unused
  std::vector<int> numa;  // one a card; -1 is unknown, and all unknown ones count as one node
  std::vector<CardSet> nvlink;  // for each card, those it reaches by NVLink, also through NVSwitch

  int card_count() const { return static_cast<int>(numa.size()); }
  int Gbps(int a, int b) const {
    return gbps[static_cast<std::size_t>(a) * numa.size() + static_cast<std::size_t>(b)];
  }
  int Numa(int card) const { return numa[static_cast<std::size_t>(card)]; }
  bool OneNuma(int a, int b) const { return Numa(a) == Numa(b) && Numa(a) >= 0; }
  CardSet Nvlink(int card) const { return nvlink[static_cast<std::size_t>(card)]; }
  CardSet all() const {
    return card_count() == kMaxCards ? ~CardSet{0} : CardBit(card_count()) - 1;
  }
};

// Which set is asked for.
struct SetRequest {
  CardSet free = 0;  // bits above the node's cards are ignored
  int count = 0;
  bool sensitive = true;    // false: the pod's speed does not hang on its cards' links
  bool all_nvlink = false;  // every pair linked by NVLink
  bool one_numa = false;    // every pair on one known NUMA node
  // A sensitive pod that takes the larger part of an empty node cuts it in two for long: the ring
  // of the cards it leaves counts as much as its own. Only on nodes with a table (ring_table.h).
  bool split_well = false;
};

struct SetChoice {
  CardSet set = 0;         // 0: no set of the asked size keeps the conditions
  bool cut_short = false;  // the steps ran out: a better set, or any, may exist
};

// Which term of the objective comes first.
enum class SetOrder {
  kBestConnected,  // sensitive pods: connectedness, then what remains
  kLeavesMost,     // insensitive pods: what remains, then connectedness
  kSplitsWell,     // both parts' rings added, then what remains, then connectedness
};

// The terms of the objective for one set taken from the free cards. Equal values are told apart by
// the lowest indices.
struct SetValue {
  Connectedness of;
  // What remains for later pods (remaining_table.h), larger is better.
  std::int64_t remaining = 0;
  int split_gbps = 0;  // kSplitsWell only: the set's ring and the ring of the cards left, added
};

// Equal values are neither's better.
inline bool BetterValue(const SetValue& a, const SetValue& b, SetOrder order) {
  if (order == SetOrder::kSplitsWell && a.split_gbps != b.split_gbps) {
    return a.split_gbps > b.split_gbps;
  }
  if (order != SetOrder::kBestConnected && a.remaining != b.remaining) {
    return a.remaining > b.remaining;
  }
  if (a.of.BetterThan(b.of)) {
    return true;
  }
  return !b.of.BetterThan(a.of) && a.remaining > b.remaining;
}

}  // namespace aliquot::topology
