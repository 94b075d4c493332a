// SPDX-License-Identifier: Apache-2.0
#pragma once

// Every subset of a small node's cards with its terms of the objective, ranked once. Immutable once
// filled; thread-safe. Units: GB/s one way.

#include <cstdint>
#include <vector>

#include "topology/card_set.h"
#include "topology/connectedness.h"
#include "topology/remaining_table.h"
#include "topology/ring_table.h"
#include "topology/set_objective.h"

namespace aliquot::topology {

class SubsetTable {
 public:
  // Pre: at most kMaxTableCards cards.
  explicit SubsetTable(const SetShape& shape);

  const Connectedness& Of(CardSet set) const { return of_[set]; }
  SetOrder OrderOf(const SetRequest& request) const;
  // Pre: `set` is part of `free`, `free` of the node's cards.
  SetValue ValueOf(CardSet set, CardSet free) const;

  // The best set that the request allows. kBestConnected: the first free one in the ranking or, of
  // those as well connected, the one that leaves most; the other orders look at all of the size,
  // 12,870 for 8 of 16 cards. 0 when there is none.
  CardSet Choose(const SetRequest& request) const;

  // All sets that the request allows, best first.
  std::vector<CardSet> Ranked(const SetRequest& request) const;

 private:
  void FillSums(const SetShape& shape);
  void Rank();
  bool Allows(const SetRequest& request, CardSet set) const;
  const std::vector<std::uint16_t>& OfSize(int count) const;

  CardSet all_ = 0;
  std::vector<Connectedness> of_;  // by set
  RemainingTable remaining_;
  std::vector<bool> all_nvlink_;                    // by set: is every pair linked by NVLink?
  std::vector<bool> one_numa_;                      // by set: on one known NUMA node?
  std::vector<std::vector<std::uint16_t>> ranked_;  // by count: sets, best connected first
};

}  // namespace aliquot::topology
