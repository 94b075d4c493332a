// SPDX-License-Identifier: Apache-2.0
#include "extender/budget_book.h"

#include <algorithm>

namespace aliquot::extender {

const std::vector<ledger::DisruptionBudgets::Budget>& BudgetBook::Of(
    const std::string& namespace_name) {
  const auto [found, fresh] = read_.try_emplace(namespace_name);
  if (fresh) {
    found->second = budgets_.Of(namespace_name);
  }
  return found->second;
}

std::vector<int> BudgetCount::Covering(const model::PodKey& pod, const model::Labels& labels) {
  std::vector<int> covering;
  for (const auto& budget : book_.Of(pod.namespace_name)) {
    if (!model::Covers(*budget, pod.name, labels)) {
      continue;
    }
    const auto found = std::find(known_.begin(), known_.end(), budget.get());
    covering.push_back(static_cast<int>(found - known_.begin()));
    if (found == known_.end()) {
      known_.push_back(budget.get());
      allowed_.push_back(budget->disruptions_allowed);
    }
  }
  return covering;
}

bool BudgetCount::Evict(const std::vector<int>& covering) {
  bool breaks = false;
  for (const int budget : covering) {
    breaks = --allowed_[static_cast<std::size_t>(budget)] < 0 || breaks;
  }
  return breaks;
}

}  // namespace aliquot::extender
