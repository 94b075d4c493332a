// SPDX-License-Identifier: Apache-2.0
#pragma once

// Depth-first branch and bound over the subsets of one size, on nodes too large for a table: the
// inner loop of branch_and_bound.h. Not thread-safe, one object a choice; no clock. Units: GB/s one
// way.
//
// A branch is left when even the sum of what each open place could add at most is not better than
// the best set found. Cards that can swap places without changing any figure are tried in the order
// of their indices only.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "topology/card_set.h"
#include "topology/ring_search.h"
#include "topology/set_objective.h"

namespace aliquot::topology {

class SubsetSearch {
 public:
  // What one run looks for: the greatest sum over pairs, then fewest NUMA nodes, then what remains,
  // then lowest indices, among the sets that keep all of this.
  struct Goal {
    CardSet among = 0;                           // cards to choose from, all free
    const std::vector<CardSet>* ring = nullptr;  // the set must be a ring of these edges
    std::optional<std::int64_t> least_remaining;
    bool remaining_only = false;  // look for what remains alone, and nothing else
    bool any = false;             // stop at the first set found
  };

  // Both are used until the object ends. Pre: the request's count is between 1 and its free cards.
  SubsetSearch(const SetShape& shape, const SetRequest& request);

  // The best set, exact unless `steps` ran out; nothing when there is none. `known` is a set that
  // keeps the goal, to start from.
  std::optional<CardSet> Best(const Goal& goal, std::optional<CardSet> known, Steps& steps);

  // With which cards may this one be in a set?
  CardSet CompatibleWith(int card) const { return compatible_[static_cast<std::size_t>(card)]; }

 private:
  // Larger is better, first entry first.
  using Key = std::array<std::int64_t, 3>;
  // Figures of one card each.
  using PerCard = std::array<std::int64_t, kMaxCards>;

  // Sums are in the worth of pairs (remaining_table.h), of which the GB/s are the high bits.
  struct Branch {
    CardSet chosen = 0;
    CardSet open = 0;        // cards that may still be added
    std::int64_t pairs = 0;  // of the chosen cards
    std::int64_t loss = 0;   // of the chosen cards (loss_)
    PerCard links{};         // of each free card to the chosen ones, added up
  };

  void FillCards();
  void FillAlike();
  void Expand(Branch branch);
  Branch With(const Branch& branch, int card) const;
  void Offer(const Branch& branch);
  bool Tighten(Branch& branch) const;
  PerCard TwiceGains(const Branch& branch) const;
  bool Promising(const Branch& branch, const PerCard& twice_gains) const;
  bool BeatsBest(const Key& key, CardSet lowest_set) const;
  int Pick(const Branch& branch, const PerCard& twice_gains) const;
  int LeastNuma(const Branch& branch) const;
  Key KeyOf(std::int64_t pairs, int numa_nodes, std::int64_t remaining) const;
  std::int64_t Worth(int a, int b) const {
    return worth_[static_cast<std::size_t>(a) * shape_.numa.size() + static_cast<std::size_t>(b)];
  }
  int Open(const Branch& branch) const { return request_.count - CountOf(branch.chosen); }

  const SetShape& shape_;
  const SetRequest& request_;
  const CardSet free_;
  // What remains, written card by card: 25 times the pairs of the set, less this of each card.
  PerCard loss_{};
  std::vector<std::int64_t> worth_;          // square: the worth of each pair
  std::vector<std::vector<int>> nearest_;    // by card: free cards, best linked first
  std::vector<CardSet> compatible_, alike_;  // by card
  std::vector<CardSet> numa_groups_;         // free cards of each NUMA node

  Goal goal_;
  Steps* steps_ = nullptr;
  CardSet best_ = 0;  // 0: none yet
  Key best_key_{};
};

}  // namespace aliquot::topology
