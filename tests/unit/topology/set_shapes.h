// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shapes of nodes for tests of the chooser, and its objective by plain enumeration: every ring by
// permutation, every sum pair by pair, from the text of docs/reference/scoring.md alone.

#include <algorithm>
#include <cstddef>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "topology/set_objective.h"

namespace aliquot::topology {

// `triangle`: the pairs' GB/s, row by row. NVLink is what has 25 GB/s and more.
inline SetShape ShapeOf(const std::vector<int>& triangle, const std::vector<int>& numa) {
  const std::size_t count = numa.size();
  SetShape shape{std::vector<int>(count * count), numa, std::vector<CardSet>(count)};
  std::size_t pair = 0;
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = a + 1; b < count; ++b, ++pair) {
      shape.gbps[a * count + b] = shape.gbps[b * count + a] = triangle[pair];
      if (triangle[pair] >= 25) {
        shape.nvlink[a] |= CardBit(static_cast<int>(b));
        shape.nvlink[b] |= CardBit(static_cast<int>(a));
      }
    }
  }
  return shape;
}

// `gbps(a, b)` for each pair a < b.
template <typename Gbps>
SetShape ShapeBy(const std::vector<int>& numa, const Gbps& gbps) {
  std::vector<int> triangle;
  for (std::size_t a = 0; a < numa.size(); ++a) {
    for (std::size_t b = a + 1; b < numa.size(); ++b) {
      triangle.push_back(gbps(static_cast<int>(a), static_cast<int>(b)));
    }
  }
  return ShapeOf(triangle, numa);
}

// Few different figures, so that there are many ties.
inline SetShape RandomShape(std::mt19937& random, int cards) {
  const int words[] = {16, 18, 24, 25, 50};
  std::vector<int> numa;
  for (int card = 0; card < cards; ++card) {
    numa.push_back(static_cast<int>(random() % 3) - 1);
  }
  return ShapeBy(numa, [&](int, int) { return words[random() % std::size(words)]; });
}

class PlainObjective {
 public:
  explicit PlainObjective(const SetShape& shape) : shape_(shape) {}

  const Connectedness& ConnectednessOf(CardSet set) {
    const auto [entry, fresh] = of_.emplace(set, Connectedness{});
    if (fresh) {
      std::set<int> numa;
      for (const int a : IndicesOf(set)) {
        numa.insert(shape_.Numa(a));
        for (const int b : IndicesOf(set)) {
          entry->second.total_gbps += a < b ? shape_.Gbps(a, b) : 0;
        }
      }
      entry->second.numa_nodes = static_cast<int>(numa.size());
      entry->second.ring_gbps = RingOf(set);
    }
    return entry->second;
  }

  // In sixteenths: what the set's pairs are worth to the pod, and the change of what all pairs are
  // worth to the next one, when each card in use is free again with chance 1/4.
  std::int64_t Remaining(CardSet set, CardSet free) const {
    std::int64_t change = 0;
    for (int a = 0; a < shape_.card_count(); ++a) {
      for (int b = a + 1; b < shape_.card_count(); ++b) {
        const auto sixteenths = [&](CardSet still_free) {
          return (Holds(still_free, a) ? 4 : 1) * (Holds(still_free, b) ? 4 : 1);
        };
        const bool inside = Holds(set, a) && Holds(set, b);
        const std::int64_t numa = shape_.Numa(a) >= 0 && shape_.Numa(a) == shape_.Numa(b) ? 1 : 0;
        const std::int64_t worth = std::int64_t{65536} * shape_.Gbps(a, b) + numa;
        change += worth * ((inside ? 16 : 0) + sixteenths(free & ~set) - sixteenths(free));
      }
    }
    return change;
  }

  bool Allows(const SetRequest& request, CardSet set) const {
    for (const int a : IndicesOf(set)) {
      for (const int b : IndicesOf(set)) {
        const bool one_numa = shape_.Numa(a) == shape_.Numa(b) && shape_.Numa(a) >= 0;
        if (a != b && ((request.all_nvlink && !Holds(shape_.Nvlink(a), b)) ||
                       (request.one_numa && !one_numa))) {
          return false;
        }
      }
    }
    return (set & ~request.free) == 0 && CountOf(set) == request.count;
  }

  // The terms in the order of the request, larger is better.
  std::vector<std::int64_t> Terms(CardSet set, const SetRequest& request) {
    const Connectedness of = ConnectednessOf(set);
    const std::int64_t remaining = Remaining(set, request.free);
    std::int64_t both_rings = 0;
    if (request.sensitive && request.split_well && request.free == shape_.all() &&
        2 * request.count > shape_.card_count() && shape_.card_count() <= 16) {
      both_rings = of.ring_gbps + ConnectednessOf(request.free & ~set).ring_gbps;
    }
    const bool remaining_first = !request.sensitive || both_rings != 0;
    return {both_rings,     remaining_first ? remaining : 0,
            of.ring_gbps,   of.total_gbps,
            -of.numa_nodes, remaining};
  }

  // Does `a` come before `b`?
  bool Before(CardSet a, CardSet b, const SetRequest& request) {
    const std::vector<std::int64_t> of_a = Terms(a, request);
    const std::vector<std::int64_t> of_b = Terms(b, request);
    return of_a != of_b ? of_a > of_b : IndicesOf(a) < IndicesOf(b);
  }

  CardSet Best(const SetRequest& request) {
    CardSet best = 0;
    for (CardSet part = request.free; part != 0; part = (part - 1) & request.free) {
      if (CountOf(part) == request.count && Allows(request, part) &&
          (best == 0 || Before(part, best, request))) {
        best = part;
      }
    }
    return best;
  }

 private:
  int RingOf(CardSet set) const {
    std::vector<int> cards = IndicesOf(set);
    int best = 0;
    do {
      int smallest = cards.size() < 2 ? 0 : shape_.Gbps(cards.back(), cards.front());
      for (std::size_t i = 1; i < cards.size(); ++i) {
        smallest = std::min(smallest, shape_.Gbps(cards[i - 1], cards[i]));
      }
      best = std::max(best, smallest);
      // The first card stays: a ring has no beginning.
    } while (cards.size() > 2 && std::next_permutation(cards.begin() + 1, cards.end()));
    return best;
  }

  const SetShape& shape_;
  std::map<CardSet, Connectedness> of_;
};

}  // namespace aliquot::topology
