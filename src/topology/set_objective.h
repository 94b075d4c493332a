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
  bool one_numa = false;    // all cards on one NUMA node
};

struct SetChoice {
  CardSet set = 0;         // 0: no set of the asked size keeps the conditions
  bool cut_short = false;  // the steps ran out: a better set, or any, may exist
};

// The terms of the objective for one set taken from the free cards.
struct SetValue {
  Connectedness of;
  std::int64_t remaining = 0;  // what the free cards without the set are worth to later pods
};

// Is `a` the better value? Equal values are neither; the lowest indices decide then.
// Sensitive: connectedness, then what remains. Insensitive: what remains, then connectedness.
inline bool BetterValue(const SetValue& a, const SetValue& b, bool sensitive) {
  if (!sensitive && a.remaining != b.remaining) {
    return a.remaining > b.remaining;
  }
  if (a.of.BetterThan(b.of)) {
    return true;
  }
  return !b.of.BetterThan(a.of) && a.remaining > b.remaining;
}

}  // namespace aliquot::topology
