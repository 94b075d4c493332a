// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which pods of one node to evict, so that cards become free on which a pod fits. Pure: numbers in,
// numbers out. Units: percent of a card, MiB, 1/1000 of a core.

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "model/demand.h"
#include "model/peak.h"
#include "scoring/pod_sums.h"

namespace aliquot::extender {

// A pod that may be evicted.
struct Evictable {
  std::string name;  // tells pods apart that are equal in all else
  std::int64_t priority = 0;
  // What it takes of each card; cards it does not touch are left out.
  std::vector<std::pair<int, model::CardUse>> uses;
  scoring::PodSums sums;
  std::vector<int> budgets;  // that cover it: indices into VictimQuestion::allowed
};

struct VictimQuestion {
  // What the cards hold with every evictable pod still there.
  std::vector<model::CardUse> used;
  std::vector<std::int64_t> mib;  // of each card; 0 where a card is not usable
  // The pod's container that is hardest to place: a bound that ends most searches early.
  model::ContainerDemand hardest;
  int max_sharers = 16;
  // The evicted must give back this much at least.
  scoring::PodSums missing;
  std::vector<std::int64_t> allowed;  // evictions that each disruption budget allows
  // The whole question, for cards used like this.
  std::function<bool(const std::vector<model::CardUse>&)> fits;
  int max_steps = 20000;
};

struct VictimAnswer {
  bool found = false;
  // The search ran out of steps: `victims` suffice, but a smaller or cheaper set may exist.
  bool cut_short = false;
  int steps = 0;
  std::vector<int> victims;  // indices of `pods`, from the highest priority down
};

// The smallest set; of those the one whose priorities, sorted from the highest down, are the lowest
// in lexicographic order; of those the one that breaks the fewest budgets; of those always the
// same, whatever the order of `pods`. Exact within the steps. Past them the best set found so far,
// or else what kube-scheduler's own way gives: all evicted, then from the highest priority down
// each spared whose sparing still leaves room.
VictimAnswer FindVictims(const VictimQuestion& question, const std::vector<Evictable>& pods);

// How many of these evictions, in their order, break a budget (filterPodsWithPDBViolation of
// kube-scheduler: a pod breaks when any of its budgets has nothing left for it).
int BudgetsBroken(const std::vector<const std::vector<int>*>& covered,
                  std::vector<std::int64_t> allowed);

}  // namespace aliquot::extender
