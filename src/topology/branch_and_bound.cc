// SPDX-License-Identifier: Apache-2.0
#include "topology/branch_and_bound.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "topology/remaining_table.h"
#include "topology/ring_blocks.h"
#include "topology/ring_search.h"
#include "topology/subset_search.h"

namespace aliquot::topology {
namespace {

using Goal = SubsetSearch::Goal;

// A first look at one level may use this part of all steps: there are at most 2,016 levels, so
// halving takes 11 looks.
constexpr int kLookPart = 32;
// Enough to walk straight down to one set, with some steps back.
constexpr int kLastResortSteps = 1000;

// The set whose best ring has the largest smallest edge. Levels are the different GB/s of the free
// cards' pairs, best first; the question at one level is whether some set is a ring of edges of at
// least that much. Where one level has such a set, so have all after it.
class LevelSearch {
 public:
  LevelSearch(const SetShape& shape, const SetRequest& request, SubsetSearch& search,
              std::optional<std::int64_t> least_remaining, Steps& steps)
      : shape_(shape),
        request_(request),
        search_(search),
        least_remaining_(least_remaining),
        steps_(steps),
        levels_(LevelsOf(shape, request.free)) {}

  // 0 when no set was found at any level; `steps.cut_short` tells whether one may exist.
  CardSet Best() {
    // Where no short look found anything, the last level has the most sets.
    std::size_t level = std::min(HighestByHalving(), levels_.size() - 1);
    while (level > proven_none_ && Raise(level)) {
      --level;
    }
    const CardSet best = Look(level, false, found_, steps_.left).value_or(0);
    steps_.cut_short = steps_.cut_short || level > proven_none_;
    return best;
  }

 private:
  // The highest level at which a short look finds a set; levels_.size() when none does.
  std::size_t HighestByHalving() {
    const int part = std::max(1, steps_.left / kLookPart);
    std::size_t low = 0;
    std::size_t high = levels_.size();
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (const auto found = Look(middle, true, std::nullopt, part)) {
        found_ = found;
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return high;
  }

  // Is there a set one level above after all? A longer look than the one before.
  bool Raise(std::size_t level) {
    const auto found = Look(level - 1, true, std::nullopt, steps_.left / 2);
    found_ = found ? found : found_;
    return found.has_value();
  }

  // The best set at a level, or any. Remembers what is proven; a look that is not the last one and
  // that ran out of its own part proves nothing.
  std::optional<CardSet> Look(std::size_t level, bool any, std::optional<CardSet> found, int part) {
    std::vector<CardSet> edges = EdgesOf(shape_, request_.free, levels_[level]);
    for (CardSet rest = request_.free; rest != 0; rest = WithoutLowest(rest)) {
      edges[static_cast<std::size_t>(LowestOf(rest))] &= search_.CompatibleWith(LowestOf(rest));
    }
    Steps steps{part};
    for (const CardSet block : RingBlocks(edges)) {
      const bool possible = CountOf(block) >= request_.count &&
                            (request_.count % 2 == 0 || !HasEvenRingsOnly(edges, block));
      if (possible && !(any && found)) {
        const auto better =
            search_.Best({block, &edges, least_remaining_, false, any}, found, steps);
        found = better ? better : found;
      }
    }
    steps_.left -= part - steps.left;
    if (!found && !steps.cut_short) {
      proven_none_ = std::max(proven_none_, level + 1);
    }
    steps_.cut_short = steps_.cut_short || (steps.cut_short && !any);
    return found;
  }

  const SetShape& shape_;
  const SetRequest& request_;
  SubsetSearch& search_;
  const std::optional<std::int64_t> least_remaining_;
  Steps& steps_;
  const std::vector<int> levels_;
  std::size_t proven_none_ = 0;  // no set at the levels before this one
  std::optional<CardSet> found_;
};

}  // namespace

SetChoice ChooseByBranchAndBound(const SetShape& shape, const SetRequest& asked, int max_steps) {
  SetRequest request = asked;
  request.free &= shape.all();
  if (request.count < 1 || CountOf(request.free) < request.count) {
    return {};
  }
  SubsetSearch search(shape, request);
  std::optional<std::int64_t> least_remaining;
  std::optional<CardSet> leaves_most;
  Steps first{max_steps / 2};
  if (!request.sensitive) {
    leaves_most = search.Best({request.free, nullptr, std::nullopt, true}, std::nullopt, first);
    if (!leaves_most) {
      return {0, first.cut_short};
    }
    least_remaining = RemainingAfter(shape, *leaves_most, request.free);
  }
  Steps steps{max_steps - max_steps / 2 + first.left};
  CardSet set = 0;
  if (request.count <= 2) {  // no ring: a pair's link is its sum
    set = search.Best({request.free, nullptr, least_remaining}, leaves_most, steps).value_or(0);
  } else {
    set = LevelSearch(shape, request, search, least_remaining, steps).Best();
  }
  const bool cut_short = first.cut_short || steps.cut_short;
  if (set == 0 && cut_short) {
    Steps last{kLastResortSteps};
    set = search.Best({request.free, nullptr, least_remaining}, leaves_most, last).value_or(0);
  }
  return {set, cut_short};
}

}  // namespace aliquot::topology
