// SPDX-License-Identifier: Apache-2.0
#include "ledger/disruption_budgets.h"

#include <algorithm>

namespace aliquot::ledger {

void DisruptionBudgets::Replace(const std::vector<model::DisruptionBudget>& all) {
  MutexLock lock(mutex_);
  by_namespace_.clear();
  for (const model::DisruptionBudget& budget : all) {
    PutLocked(budget);
  }
  listed_ = true;
}

void DisruptionBudgets::Put(const model::DisruptionBudget& budget) {
  MutexLock lock(mutex_);
  PutLocked(budget);
}

void DisruptionBudgets::PutLocked(const model::DisruptionBudget& budget) {
  by_namespace_[budget.namespace_name][budget.name] =
      std::make_shared<const model::DisruptionBudget>(budget);
}

void DisruptionBudgets::Remove(const model::DisruptionBudget& budget) {
  MutexLock lock(mutex_);
  const auto found = by_namespace_.find(budget.namespace_name);
  if (found == by_namespace_.end()) {
    return;
  }
  found->second.erase(budget.name);
  if (found->second.empty()) {
    by_namespace_.erase(found);
  }
}

bool DisruptionBudgets::listed() const {
  MutexLock lock(mutex_);
  return listed_;
}

std::vector<DisruptionBudgets::Budget> DisruptionBudgets::Of(
    std::string_view namespace_name) const {
  std::vector<Budget> budgets;
  {
    MutexLock lock(mutex_);
    const auto found = by_namespace_.find(namespace_name);
    if (found != by_namespace_.end()) {
      for (const auto& [name, budget] : found->second) {
        budgets.push_back(budget);
      }
    }
  }
  std::sort(budgets.begin(), budgets.end(),
            [](const Budget& a, const Budget& b) { return a->name < b->name; });
  return budgets;
}

}  // namespace aliquot::ledger
