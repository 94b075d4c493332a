// SPDX-License-Identifier: Apache-2.0
#include "topology/subset_search.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>

#include "topology/remaining_table.h"

namespace aliquot::topology {
namespace {

// Rounds down, also below zero: gains are whole numbers, so a bound may.
std::int64_t FloorOfHalf(std::int64_t twice) { return twice >= 0 ? twice / 2 : -((1 - twice) / 2); }

std::size_t Index(int card) { return static_cast<std::size_t>(card); }

CardSet LowestCards(CardSet set, int count) {
  CardSet lowest = 0;
  for (; count > 0; --count, set = WithoutLowest(set)) {
    lowest |= CardBit(LowestOf(set));
  }
  return lowest;
}

template <typename Figure>
std::int64_t SumOfLargest(CardSet set, int count, const Figure& figure) {
  std::array<std::int64_t, kMaxCards> figures{};
  std::size_t size = 0;
  for (; set != 0; set = WithoutLowest(set)) {
    figures[size++] = figure(Index(LowestOf(set)));
  }
  const auto end = figures.begin() + static_cast<std::ptrdiff_t>(size);
  const auto middle = figures.begin() + count;
  std::nth_element(figures.begin(), middle == end ? end - 1 : middle, end, std::greater<>());
  std::int64_t sum = 0;
  for (auto it = figures.begin(); it != middle; ++it) {
    sum += *it;
  }
  return sum;
}

}  // namespace

SubsetSearch::SubsetSearch(const SetShape& shape, const SetRequest& request)
    : shape_(shape), request_(request), free_(request.free & shape.all()) {
  FillCards();
  FillAlike();
}

void SubsetSearch::FillCards() {
  worth_.resize(shape_.gbps.size());
  nearest_.resize(shape_.numa.size());
  compatible_.resize(shape_.numa.size());
  std::map<int, CardSet> numa;
  for (CardSet rest = free_; rest != 0; rest = WithoutLowest(rest)) {
    numa[shape_.Numa(LowestOf(rest))] |= CardBit(LowestOf(rest));
  }
  for (const auto& [node, cards] : numa) {
    numa_groups_.push_back(cards);
  }
  for (CardSet rest = free_; rest != 0; rest = WithoutLowest(rest)) {
    const int card = LowestOf(rest);
    const CardSet others = free_ & ~CardBit(card);
    std::vector<int>& nearest = nearest_[Index(card)];
    nearest = IndicesOf(others);
    for (int other = 0; other < shape_.card_count(); ++other) {
      if (other != card) {
        const std::int64_t worth = WorthOfPair(shape_, card, other);
        worth_[Index(card) * shape_.numa.size() + Index(other)] = worth;
        // The sums of remaining_table.cc, counted from this end of each pair: 12 to a free card
        // outside of the set, 3 to one in use. Of a pair inside both ends are taken off here, and
        // one to be added: hence 25 pairs of the set.
        loss_[Index(card)] += (Holds(free_, other) ? 12 : 3) * worth;
      }
    }
    std::stable_sort(nearest.begin(), nearest.end(),
                     [&](int a, int b) { return Worth(card, a) > Worth(card, b); });
    const CardSet one_numa = shape_.Numa(card) >= 0 ? numa[shape_.Numa(card)] : CardSet{0};
    compatible_[Index(card)] = others & (request_.all_nvlink ? shape_.Nvlink(card) : free_) &
                               (request_.one_numa ? one_numa : free_);
  }
}

void SubsetSearch::FillAlike() {
  const auto alike = [&](int a, int b) {
    const CardSet both = CardBit(a) | CardBit(b);
    if (shape_.Numa(a) != shape_.Numa(b) || loss_[Index(a)] != loss_[Index(b)] ||
        (compatible_[Index(a)] & ~both) != (compatible_[Index(b)] & ~both)) {
      return false;
    }
    for (CardSet rest = free_ & ~both; rest != 0; rest = WithoutLowest(rest)) {
      if (shape_.Gbps(a, LowestOf(rest)) != shape_.Gbps(b, LowestOf(rest))) {
        return false;
      }
    }
    return true;
  };
  alike_.resize(shape_.numa.size());
  for (CardSet a = free_; a != 0; a = WithoutLowest(a)) {
    for (CardSet b = free_; b != 0; b = WithoutLowest(b)) {
      if (LowestOf(a) == LowestOf(b) || alike(LowestOf(a), LowestOf(b))) {
        alike_[Index(LowestOf(a))] |= CardBit(LowestOf(b));
      }
    }
  }
}

std::optional<CardSet> SubsetSearch::Best(const Goal& goal, std::optional<CardSet> known,
                                          Steps& steps) {
  goal_ = goal;
  steps_ = &steps;
  best_ = 0;
  if (known) {
    Branch branch;
    for (CardSet rest = *known; rest != 0; rest = WithoutLowest(rest)) {
      branch = With(branch, LowestOf(rest));
    }
    Offer(branch);
  }
  Branch root;
  root.open = goal.among;
  Expand(root);
  return best_ == 0 ? std::nullopt : std::optional<CardSet>(best_);
}

void SubsetSearch::Expand(Branch branch) {
  while (!(goal_.any && best_ != 0) && steps_->Take()) {
    if (Open(branch) == 0) {
      Offer(branch);
      return;
    }
    if (!Tighten(branch)) {
      return;
    }
    const PerCard twice_gains = TwiceGains(branch);
    if (!Promising(branch, twice_gains)) {
      return;
    }
    const int card = Pick(branch, twice_gains);
    if (card < 0) {
      return;
    }
    Expand(With(branch, card));
    // Without this card, one that could swap places with it gives nothing better, nor an earlier
    // set: Pick took the lowest of them.
    branch.open &= ~alike_[Index(card)];
  }
}

SubsetSearch::Branch SubsetSearch::With(const Branch& branch, int card) const {
  Branch with = branch;
  with.chosen |= CardBit(card);
  with.open &= CompatibleWith(card);
  with.pairs += branch.links[Index(card)];
  with.loss += loss_[Index(card)];
  for (CardSet rest = free_ & ~with.chosen; rest != 0; rest = WithoutLowest(rest)) {
    with.links[Index(LowestOf(rest))] += Worth(card, LowestOf(rest));
  }
  return with;
}

void SubsetSearch::Offer(const Branch& branch) {
  int numa_nodes = 0;
  for (const CardSet group : numa_groups_) {
    numa_nodes += (group & branch.chosen) != 0 ? 1 : 0;
  }
  const std::int64_t remaining = 25 * branch.pairs - branch.loss;
  const Key key = KeyOf(branch.pairs, numa_nodes, remaining);
  if ((goal_.least_remaining && remaining < *goal_.least_remaining) ||
      !BeatsBest(key, branch.chosen) ||
      (goal_.ring != nullptr && !HasRing(*goal_.ring, branch.chosen, *steps_))) {
    return;
  }
  best_ = branch.chosen;
  best_key_ = key;
}

// Takes out cards that no ring can pass; false when too few are left.
bool SubsetSearch::Tighten(Branch& branch) const {
  bool changed = goal_.ring != nullptr;
  while (changed) {
    changed = false;
    const CardSet all = branch.chosen | branch.open;
    for (CardSet rest = all; rest != 0; rest = WithoutLowest(rest)) {
      const int card = LowestOf(rest);
      if (CountOf((*goal_.ring)[Index(card)] & all) < 2) {
        if (Holds(branch.chosen, card)) {
          return false;
        }
        branch.open &= ~CardBit(card);
        changed = true;
      }
    }
  }
  return CountOf(branch.open) >= Open(branch);
}

// Twice what each open card could add to the pairs at most: its links to the chosen cards,
// and half of its best links to other open ones (the other half is theirs).
SubsetSearch::PerCard SubsetSearch::TwiceGains(const Branch& branch) const {
  PerCard gains{};
  for (CardSet rest = branch.open; rest != 0; rest = WithoutLowest(rest)) {
    const int card = LowestOf(rest);
    std::int64_t& gain = gains[Index(card)];
    gain = 2 * branch.links[Index(card)];
    int partners = Open(branch) - 1;
    for (const int other : nearest_[Index(card)]) {
      if (partners == 0) {
        break;
      }
      if (Holds(branch.open, other)) {
        gain += Worth(card, other);
        --partners;
      }
    }
  }
  return gains;
}

bool SubsetSearch::Promising(const Branch& branch, const PerCard& twice_gains) const {
  const int open = Open(branch);
  std::int64_t pairs = branch.pairs;
  if (!goal_.remaining_only) {
    pairs += FloorOfHalf(
        SumOfLargest(branch.open, open, [&](std::size_t card) { return twice_gains[card]; }));
    if (best_ != 0 && pairs / kWorthOfOneGbps < best_key_[0]) {
      return false;
    }
  }
  const std::int64_t remaining = 25 * branch.pairs - branch.loss +
                                 FloorOfHalf(SumOfLargest(branch.open, open, [&](std::size_t card) {
                                   return 25 * twice_gains[card] - 2 * loss_[card];
                                 }));
  if (goal_.least_remaining && remaining < *goal_.least_remaining) {
    return false;
  }
  const CardSet lowest = branch.chosen | LowestCards(branch.open, open);
  return BeatsBest(KeyOf(pairs, LeastNuma(branch), remaining), lowest);
}

bool SubsetSearch::BeatsBest(const Key& key, CardSet lowest_set) const {
  const bool ties_matter = !goal_.remaining_only;
  return best_ == 0 || key > best_key_ ||
         (ties_matter && key == best_key_ && LowerIndices(lowest_set, best_));
}

// The open card that could add most, of equal ones the lowest; -1 when none can be next.
int SubsetSearch::Pick(const Branch& branch, const PerCard& twice_gains) const {
  CardSet next = branch.open;
  if (goal_.ring != nullptr && branch.chosen != 0) {
    // A ring is in one piece: whatever set comes of this branch, one of these is in it.
    CardSet reached = 0;
    for (CardSet rest = branch.chosen; rest != 0; rest = WithoutLowest(rest)) {
      reached |= (*goal_.ring)[Index(LowestOf(rest))];
    }
    next &= reached;
  }
  int best = -1;
  std::int64_t best_gain = std::numeric_limits<std::int64_t>::min();
  for (; next != 0; next = WithoutLowest(next)) {
    const int card = LowestOf(next);
    const std::int64_t gain = goal_.remaining_only
                                  ? 25 * twice_gains[Index(card)] - 2 * loss_[Index(card)]
                                  : twice_gains[Index(card)];
    if (gain > best_gain) {
      best = card;
      best_gain = gain;
    }
  }
  return best;
}

// The fewest NUMA nodes that a set of this branch can have: first those it has, then the largest.
int SubsetSearch::LeastNuma(const Branch& branch) const {
  int nodes = 0;
  int open = Open(branch);
  std::vector<int> others;
  for (const CardSet group : numa_groups_) {
    if ((group & branch.chosen) != 0) {
      ++nodes;
      open -= CountOf(group & branch.open);
    } else {
      others.push_back(CountOf(group & branch.open));
    }
  }
  std::sort(others.begin(), others.end(), std::greater<>());
  for (auto size = others.begin(); open > 0 && size != others.end(); ++size, ++nodes) {
    open -= *size;
  }
  return nodes;
}

SubsetSearch::Key SubsetSearch::KeyOf(std::int64_t pairs, int numa_nodes,
                                      std::int64_t remaining) const {
  return goal_.remaining_only ? Key{remaining, 0, 0}
                              : Key{pairs / kWorthOfOneGbps, -numa_nodes, remaining};
}

}  // namespace aliquot::topology
