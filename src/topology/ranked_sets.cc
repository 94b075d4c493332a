// SPDX-License-Identifier: Apache-2.0
#include "topology/ranked_sets.h"

#include <algorithm>
#include <set>
#include <string>

#include "topology/remaining_table.h"
#include "topology/ring_search.h"

namespace aliquot::topology {
namespace {

bool Allows(const SetShape& shape, const SetRequest& request, CardSet set) {
  for (CardSet a = set; a != 0; a = WithoutLowest(a)) {
    for (CardSet b = WithoutLowest(a); b != 0; b = WithoutLowest(b)) {
      if ((request.all_nvlink && !Holds(shape.Nvlink(LowestOf(a)), LowestOf(b))) ||
          (request.one_numa && !shape.OneNuma(LowestOf(a), LowestOf(b)))) {
        return false;
      }
    }
  }
  return true;
}

// All subsets of `count` of `from`, in the order of their indices.
template <typename Visit>
void ForEachSubset(CardSet from, int count, CardSet chosen, const Visit& visit) {
  if (count == 0) {
    visit(chosen);
    return;
  }
  for (; CountOf(from) >= count; from = WithoutLowest(from)) {
    ForEachSubset(WithoutLowest(from), count - 1, chosen | CardBit(LowestOf(from)), visit);
  }
}

}  // namespace

Status CheckListable(int cards, int count) {
  std::int64_t sets = 1;
  for (int i = 1; i <= std::min(count, cards - count) && sets <= kMaxRankedSets; ++i) {
    sets = sets * (cards - i + 1) / i;
  }
  if (sets > kMaxRankedSets) {
    return InvalidArgument(std::to_string(cards) + " cards have more than " +
                           std::to_string(kMaxRankedSets) + " sets of " + std::to_string(count) +
                           "; ask for fewer cards, or name fewer free ones");
  }
  return Status();
}

Connectedness ConnectednessBySearch(const SetShape& shape, CardSet set, int max_steps) {
  Connectedness of;
  std::set<int> numa;
  for (CardSet rest = set; rest != 0; rest = WithoutLowest(rest)) {
    numa.insert(shape.Numa(LowestOf(rest)));
    for (CardSet others = WithoutLowest(rest); others != 0; others = WithoutLowest(others)) {
      of.total_gbps += shape.Gbps(LowestOf(rest), LowestOf(others));
    }
  }
  Steps steps{max_steps};
  of.ring_gbps = BestRing(shape, set, steps);
  of.numa_nodes = static_cast<int>(numa.size());
  return of;
}

std::vector<RankedSet> RankBySearch(const SetShape& shape, const SetRequest& request,
                                    int max_steps) {
  const CardSet free = request.free & shape.all();
  std::vector<RankedSet> sets;
  if (request.count >= 1) {
    ForEachSubset(free, request.count, 0, [&](CardSet set) {
      if (Allows(shape, request, set)) {
        sets.push_back(
            {set,
             {ConnectednessBySearch(shape, set, max_steps), RemainingAfter(shape, set, free)}});
      }
    });
  }
  const SetOrder order = request.sensitive ? SetOrder::kBestConnected : SetOrder::kLeavesMost;
  // Stable: sets of equal value stay in the order of their indices.
  std::stable_sort(sets.begin(), sets.end(), [&](const RankedSet& a, const RankedSet& b) {
    return BetterValue(a.value, b.value, order);
  });
  return sets;
}

}  // namespace aliquot::topology
