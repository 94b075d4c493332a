// SPDX-License-Identifier: Apache-2.0
#include "extender/victim_search.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

namespace aliquot::extender {
namespace {

using scoring::PodSums;

// More than any number of pods.
constexpr int kNever = std::numeric_limits<int>::max() / 2;

bool SamePod(const Evictable& a, const Evictable& b) {
  return a.priority == b.priority && a.uses == b.uses && a.sums == b.sums && a.budgets == b.budgets;
}

// Any order in which equal pods stand together.
bool OrderedBefore(const Evictable& a, const Evictable& b) {
  if (a.priority != b.priority) {
    return a.priority < b.priority;
  }
  const auto key = [](const Evictable& pod) {
    std::vector<std::int64_t> numbers;
    for (const auto& [card, use] : pod.uses) {
      numbers.insert(numbers.end(), {card, use.core, use.mib, use.pods});
    }
    numbers.push_back(-1);
    numbers.insert(numbers.end(), pod.sums.amounts.begin(), pod.sums.amounts.end());
    numbers.insert(numbers.end(), pod.budgets.begin(), pod.budgets.end());
    return numbers;
  };
  const auto key_a = key(a);
  const auto key_b = key(b);
  return key_a != key_b ? key_a < key_b : a.name < b.name;
}

// Sets of one size after the other, each size depth first. Pods stand from the lowest priority up,
// and a set is built from its highest priority down, so that the first set found of a size has
// priorities as low as they get from where the search stands. Of equal pods the first ones by name
// are taken.
class Search {
 public:
  Search(const VictimQuestion& question, const std::vector<Evictable>& pods)
      : question_(question), used_(question.used), order_(pods.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    std::sort(order_.begin(), order_.end(),
              [&](int a, int b) { return OrderedBefore(pods[Index(a)], pods[Index(b)]); });
    for (const int pod : order_) {
      pods_.push_back(&pods[Index(pod)]);
    }
    ListByAmount();
  }

  VictimAnswer Run() {
    VictimAnswer answer;
    const int count = static_cast<int>(pods_.size());
    for (int size = FewestFrom(count); size <= count && !best_ && !out_of_steps_; ++size) {
      Visit(count, size, false);
    }
    answer.cut_short = out_of_steps_;
    std::vector<int> victims;
    if (best_) {
      answer.found = true;
      victims = best_->victims;
    } else if (out_of_steps_) {
      answer.found = SpareFromTheTop(victims);
    }
    answer.steps = steps_;
    for (const int victim : victims) {
      answer.victims.push_back(order_[Index(victim)]);
    }
    return answer;
  }

 private:
  struct Best {
    std::vector<int> victims;
    int broken = 0;
  };

  static std::size_t Index(int i) { return static_cast<std::size_t>(i); }
  const Evictable& Pod(int i) const { return *pods_[Index(i)]; }

  // For each card and each resource, who gives most back comes first.
  void ListByAmount() {
    on_card_.resize(used_.size());
    for (int pod = 0; pod < static_cast<int>(pods_.size()); ++pod) {
      for (const auto& [card, use] : Pod(pod).uses) {
        on_card_[Index(card)].by_core.emplace_back(use.core, pod);
        on_card_[Index(card)].by_mib.emplace_back(use.mib, pod);
      }
      for (std::size_t i = 0; i < PodSums::kResources; ++i) {
        by_sum_[i].emplace_back(Pod(pod).sums[i], pod);
      }
      widest_ = std::max(widest_, static_cast<int>(Pod(pod).uses.size()));
    }
    for (OnCard& list : on_card_) {
      std::sort(list.by_core.rbegin(), list.by_core.rend());
      std::sort(list.by_mib.rbegin(), list.by_mib.rend());
    }
    for (auto& list : by_sum_) {
      std::sort(list.rbegin(), list.rend());
    }
  }

  // How many of the pods below `limit` give back `lacking`, the largest first; kNever when all do
  // not.
  using Amounts = std::vector<std::pair<std::int64_t, int>>;
  static int CountFor(std::int64_t lacking, const Amounts& amounts, int limit) {
    int count = 0;
    for (auto it = amounts.begin(); it != amounts.end() && lacking > 0; ++it) {
      if (it->second < limit) {
        lacking -= it->first;
        ++count;
      }
    }
    return lacking > 0 ? kNever : count;
  }

  // How many must leave this card before the hardest container has a place on it.
  int FewestOnCard(std::size_t card, int limit) const {
    const model::CardUse& use = used_[card];
    const model::ContainerDemand& need = question_.hardest;
    const OnCard& list = on_card_[card];
    if (question_.mib[card] == 0) {
      return kNever;
    }
    if (need.whole) {
      const auto below = std::count_if(list.by_core.begin(), list.by_core.end(),
                                       [limit](const auto& pod) { return pod.second < limit; });
      return use.pods > below ? kNever : use.pods;
    }
    const int core = CountFor(use.core + need.core - 100, list.by_core, limit);
    const int mib = CountFor(use.mib + need.mib - question_.mib[card], list.by_mib, limit);
    const int sharers = std::max(0, use.pods + 1 - question_.max_sharers);
    return std::max({core, mib, sharers});
  }

  // A bound: at least so many of the pods below `limit` must go as well.
  int FewestFrom(int limit) {
    int fewest = 0;
    for (std::size_t i = 0; i < PodSums::kResources; ++i) {
      fewest =
          std::max(fewest, CountFor(question_.missing[i] - freed_.amounts[i], by_sum_[i], limit));
    }
    if (question_.hardest.cards <= 0) {
      return fewest;
    }
    card_counts_.clear();
    for (std::size_t card = 0; card < used_.size(); ++card) {
      card_counts_.push_back(FewestOnCard(card, limit));
    }
    const auto cards = Index(question_.hardest.cards);
    if (card_counts_.size() < cards) {
      return kNever;
    }
    std::partial_sort(card_counts_.begin(),
                      card_counts_.begin() + static_cast<std::ptrdiff_t>(cards),
                      card_counts_.end());
    if (card_counts_[cards - 1] == kNever) {
      return kNever;
    }
    const int sum = std::accumulate(card_counts_.begin(),
                                    card_counts_.begin() + static_cast<std::ptrdiff_t>(cards), 0);
    // One pod may leave several of the cards at once.
    const int together = (sum + widest_ - 1) / std::max(1, widest_);
    return std::max({fewest, together, card_counts_[cards - 1]});
  }

  // Takes `left` more pods, all of them below `limit`; `next_only`: the first of them is limit - 1,
  // as an equal pod that comes later by name was taken already.
  void Visit(int limit, int left, bool next_only) {
    if (out_of_steps_ || ++steps_ > question_.max_steps) {
      out_of_steps_ = true;
      return;
    }
    if (FewestFrom(limit) > left) {
      return;
    }
    if (left == 0) {
      Consider();
      return;
    }
    for (int pod = next_only ? limit - 1 : left - 1; pod < limit; ++pod) {
      const bool same_as_next = pod > 0 && SamePod(Pod(pod), Pod(pod - 1));
      if (same_as_next && left == 1) {
        continue;
      }
      if (CannotBeat(pod)) {
        break;
      }
      Evict(pod, +1);
      chosen_.push_back(pod);
      Visit(pod, left - 1, same_as_next);
      chosen_.pop_back();
      Evict(pod, -1);
    }
  }

  void Evict(int pod, int sign) {
    for (const auto& [card, use] : Pod(pod).uses) {
      model::CardUse& sum = used_[Index(card)];
      sum.core -= sign * use.core;
      sum.mib -= sign * use.mib;
      sum.pods -= sign * use.pods;
    }
    for (std::size_t i = 0; i < PodSums::kResources; ++i) {
      freed_.amounts[i] += sign * Pod(pod).sums[i];
    }
  }

  // What is chosen and `pod` cannot become better than the best set, nor can any later pod in its
  // place.
  bool CannotBeat(int pod) const {
    if (!best_) {
      return false;
    }
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      const std::int64_t best = Pod(best_->victims[i]).priority;
      if (Pod(chosen_[i]).priority != best) {
        return Pod(chosen_[i]).priority > best;
      }
    }
    const std::size_t place = chosen_.size();
    const std::int64_t best = Pod(best_->victims[place]).priority;
    if (Pod(pod).priority != best) {
      return Pod(pod).priority > best;
    }
    // Equal so far. Only fewer broken budgets can help when all that is left is the lowest anyhow.
    const std::int64_t lowest = Pod(0).priority;
    const bool can_be_lower = std::any_of(
        best_->victims.begin() + static_cast<std::ptrdiff_t>(place), best_->victims.end(),
        [&](int victim) { return Pod(victim).priority > lowest; });
    return !can_be_lower && Broken(chosen_) >= best_->broken;
  }

  int Broken(const std::vector<int>& victims) const {
    std::vector<const std::vector<int>*> covered;
    covered.reserve(victims.size());
    for (const int victim : victims) {
      covered.push_back(&Pod(victim).budgets);
    }
    return BudgetsBroken(covered, question_.allowed);
  }

  void Consider() {
    const int broken = Broken(chosen_);
    if (best_ && !Beats(broken)) {
      return;
    }
    if (question_.fits(used_)) {
      best_ = Best{chosen_, broken};
    }
  }

  bool Beats(int broken) const {
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      const std::int64_t mine = Pod(chosen_[i]).priority;
      const std::int64_t best = Pod(best_->victims[i]).priority;
      if (mine != best) {
        return mine < best;
      }
    }
    return broken < best_->broken;
  }

  // kube-scheduler's own way (selectVictimsOnNode). Pre: nothing is chosen.
  bool SpareFromTheTop(std::vector<int>& victims) {
    const int count = static_cast<int>(pods_.size());
    for (int pod = 0; pod < count; ++pod) {
      Evict(pod, +1);
    }
    if (!Suffices()) {
      return false;
    }
    for (int pod = count - 1; pod >= 0; --pod) {
      Evict(pod, -1);
      if (!Suffices()) {
        Evict(pod, +1);
        victims.push_back(pod);
      }
    }
    return true;
  }

  bool Suffices() const { return freed_.Covers(question_.missing) && question_.fits(used_); }

  struct OnCard {
    Amounts by_core;
    Amounts by_mib;
  };

  const VictimQuestion& question_;
  std::vector<model::CardUse> used_;
  PodSums freed_;
  std::vector<int> order_;              // indices of the caller's pods
  std::vector<const Evictable*> pods_;  // in that order
  std::vector<OnCard> on_card_;         // amounts of pods_ by card
  std::array<Amounts, PodSums::kResources> by_sum_;
  int widest_ = 1;                // cards that one pod touches at most
  std::vector<int> card_counts_;  // memory of FewestFrom
  std::vector<int> chosen_;       // from the highest priority down
  std::optional<Best> best_;
  int steps_ = 0;
  bool out_of_steps_ = false;
};

}  // namespace

int BudgetsBroken(const std::vector<const std::vector<int>*>& covered,
                  std::vector<std::int64_t> allowed) {
  int broken = 0;
  for (const std::vector<int>* budgets : covered) {
    bool breaks = false;
    for (const int budget : *budgets) {
      breaks = --allowed[static_cast<std::size_t>(budget)] < 0 || breaks;
    }
    broken += breaks ? 1 : 0;
  }
  return broken;
}

VictimAnswer FindVictims(const VictimQuestion& question, const std::vector<Evictable>& pods) {
  return Search(question, pods).Run();
}

}  // namespace aliquot::extender
