// SPDX-License-Identifier: Apache-2.0
#include "topology/ring_search.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace aliquot::topology {
namespace {

using Edges = std::vector<CardSet>;

CardSet NeighboursOf(const Edges& edges, int card) { return edges[static_cast<std::size_t>(card)]; }

// Can every card of `set` be reached from `from` through `set`?
bool Reaches(const Edges& edges, int from, CardSet set) {
  CardSet reached = 0;
  for (CardSet fresh = NeighboursOf(edges, from) & set; fresh != 0;) {
    const int card = LowestOf(fresh);
    reached |= CardBit(card);
    fresh = (fresh | (NeighboursOf(edges, card) & set)) & ~reached;
  }
  return (set & ~reached) == 0;
}

// Dirac's condition: where every card is linked to half of the others, there is a ring.
bool EachHasHalf(const Edges& edges, CardSet set) {
  for (CardSet rest = set; rest != 0; rest = WithoutLowest(rest)) {
    if (2 * CountOf(NeighboursOf(edges, LowestOf(rest)) & set) < CountOf(set)) {
      return false;
    }
  }
  return true;
}

// A ring without any one of its cards is still in one piece.
bool HoldsWithoutAnyOne(const Edges& edges, CardSet set) {
  for (CardSet rest = set; rest != 0; rest = WithoutLowest(rest)) {
    const CardSet others = set & ~CardBit(LowestOf(rest));
    if (!Reaches(edges, LowestOf(others), WithoutLowest(others))) {
      return false;
    }
  }
  return true;
}

// Grows a path card by card until it closes.
class PathSearch {
 public:
  PathSearch(const Edges& edges, CardSet set, Steps& steps)
      : edges_(edges), start_(LowestOf(set)), steps_(steps) {}

  // Can a path that is at `at` visit all of `left` and return to the start?
  bool Closes(int at, CardSet left) {
    if (left == 0) {
      return Holds(NeighboursOf(edges_, at), start_);
    }
    if (!steps_.Take() || !Possible(at, left)) {
      return false;
    }
    std::vector<Tried> tried;
    for (const auto& [ways, card] : NextCards(at, left)) {
      const Tried next{card, NeighboursOf(edges_, card) & (left | CardBit(start_))};
      if (AlikeFailed(tried, next)) {
        continue;
      }
      if (Closes(card, left & ~CardBit(card))) {
        return true;
      }
      tried.push_back(next);
    }
    return false;
  }

 private:
  bool Possible(int at, CardSet left) const {
    const CardSet usable = left | CardBit(at) | CardBit(start_);
    for (CardSet rest = left; rest != 0; rest = WithoutLowest(rest)) {
      if (CountOf(NeighboursOf(edges_, LowestOf(rest)) & usable) < 2) {
        return false;
      }
    }
    return (NeighboursOf(edges_, start_) & left) != 0 && Reaches(edges_, at, left);
  }

  // Those with the fewest ways on come first: they are the ones that get stranded.
  std::vector<std::pair<int, int>> NextCards(int at, CardSet left) const {
    std::vector<std::pair<int, int>> next;
    for (CardSet rest = NeighboursOf(edges_, at) & left; rest != 0; rest = WithoutLowest(rest)) {
      const int card = LowestOf(rest);
      next.emplace_back(CountOf(NeighboursOf(edges_, card) & left), card);
    }
    std::sort(next.begin(), next.end());
    return next;
  }

  struct Tried {
    int card;
    CardSet links;  // to cards where a path may still go
  };

  // Two cards with the same links but for each other can swap places: one failed, so does the
  // other.
  static bool AlikeFailed(const std::vector<Tried>& tried, const Tried& next) {
    return std::any_of(tried.begin(), tried.end(), [&](const Tried& before) {
      return (before.links & ~CardBit(next.card)) == (next.links & ~CardBit(before.card));
    });
  }

  const Edges& edges_;
  const int start_;
  Steps& steps_;
};

}  // namespace

std::vector<CardSet> EdgesOf(const SetShape& shape, CardSet set, int gbps) {
  Edges edges(shape.numa.size());
  for (CardSet a = set; a != 0; a = WithoutLowest(a)) {
    for (CardSet b = set & ~CardBit(LowestOf(a)); b != 0; b = WithoutLowest(b)) {
      if (shape.Gbps(LowestOf(a), LowestOf(b)) >= gbps) {
        edges[static_cast<std::size_t>(LowestOf(a))] |= CardBit(LowestOf(b));
      }
    }
  }
  return edges;
}

std::vector<int> LevelsOf(const SetShape& shape, CardSet set) {
  std::vector<int> levels;
  for (CardSet a = set; a != 0; a = WithoutLowest(a)) {
    for (CardSet b = WithoutLowest(a); b != 0; b = WithoutLowest(b)) {
      levels.push_back(shape.Gbps(LowestOf(a), LowestOf(b)));
    }
  }
  std::sort(levels.begin(), levels.end(), std::greater<>());
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  return levels;
}

bool HasRing(const std::vector<CardSet>& edges, CardSet set, Steps& steps) {
  if (EachHasHalf(edges, set)) {
    return true;
  }
  if (!HoldsWithoutAnyOne(edges, set)) {
    return false;
  }
  return PathSearch(edges, set, steps).Closes(LowestOf(set), WithoutLowest(set));
}

int BestRing(const SetShape& shape, CardSet set, Steps& steps) {
  if (CountOf(set) < 2) {
    return 0;
  }
  const std::vector<int> levels = LevelsOf(shape, set);
  if (CountOf(set) == 2) {
    return levels.front();
  }
  // With every edge of the set there is a ring, and more edges never take one away: the first level
  // that has one is found by halving.
  std::size_t low = 0;
  std::size_t high = levels.size() - 1;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (HasRing(EdgesOf(shape, set, levels[middle]), set, steps)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return levels[high];
}

}  // namespace aliquot::topology
