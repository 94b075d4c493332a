// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "model/inventory.h"
#include "topology/link.h"

namespace aliquot::topology {

// A set of cards of one node; bit i is card i of the inventory. A node has at most 64 cards.
using CardSet = std::uint64_t;

// How well a set of cards is connected, compared member by member, larger is better except `numa_nodes`.
// The objective is that of docs/reference/scoring.md: the best ring's smallest edge, then the sum over
// pairs, then fewest NUMA nodes.
struct Connectedness {
  int ring_gbps = 0;    // the smallest edge of the best ring; of a pair, its link; of one card, 0
  int total_gbps = 0;   // sum over all pairs
  int numa_nodes = 0;   // different NUMA nodes; an unknown one counts as one more

  bool BetterThan(const Connectedness& other) const;
};

// How the cards of one shape of node are linked. Immutable and shared by every node of that shape.
class NodeTopology {
 public:
  // The error is one sentence that names the pair and the word that is not a link class.
  // An inventory without links is taken as NODE within a NUMA node and SYS across.
  static Result<std::shared_ptr<const NodeTopology>> Create(const model::Inventory& inventory);

  int card_count() const { return static_cast<int>(numa_.size()); }
  const Link& link(int a, int b) const;  // pre: a != b
  int numa(int card) const { return numa_[static_cast<std::size_t>(card)]; }

  Connectedness Of(CardSet set) const;
  // The best-connected `count` cards of `free`; ties go to the lowest indices, so the answer is one.
  // Empty when `free` has too few. Exact up to 16 cards of `free`; greedy from the best pair past that.
  std::vector<int> BestSet(CardSet free, int count) const;

 private:
  NodeTopology() = default;

  std::vector<int> numa_;
  std::vector<Link> links_;  // square, row by row
};

// One NodeTopology a shape. Thread-safe.
class Catalog {
 public:
  // Shared with every other node of the inventory's shape.
  Result<std::shared_ptr<const NodeTopology>> For(const model::Inventory& inventory);

 private:
  Mutex mutex_;
  std::vector<std::pair<std::string, std::shared_ptr<const NodeTopology>>> shapes_ GUARDED_BY(mutex_);
};

}  // namespace aliquot::topology
