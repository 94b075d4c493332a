// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/string_map.h"
#include "ledger/disruption_budgets.h"
#include "model/labels.h"
#include "model/pod.h"

namespace aliquot::extender {

// The budgets that may cover the pods of one request, each namespace read once. Not thread-safe:
// one a request. The budgets must outlive it.
class BudgetBook {
 public:
  explicit BudgetBook(const ledger::DisruptionBudgets& budgets)
      : budgets_(budgets), listed_(budgets.listed()) {}

  // Whether it is known what is covered.
  bool listed() const { return listed_; }
  const std::vector<ledger::DisruptionBudgets::Budget>& Of(const std::string& namespace_name);

 private:
  const ledger::DisruptionBudgets& budgets_;
  const bool listed_;
  StringMap<std::vector<ledger::DisruptionBudgets::Budget>> read_;
};

// Evictions counted against their budgets.
class BudgetCount {
 public:
  explicit BudgetCount(BudgetBook& book) : book_(book) {}

  // The budgets that cover the pod: indices into allowed().
  std::vector<int> Covering(const model::PodKey& pod, const model::Labels& labels);
  // Evictions that each budget still allows; below 0 when it is broken already.
  const std::vector<std::int64_t>& allowed() const { return allowed_; }
  // One more eviction; true when it breaks any of its budgets (filterPodsWithPDBViolation of
  // kube-scheduler).
  bool Evict(const std::vector<int>& covering);

 private:
  BudgetBook& book_;
  std::vector<const model::DisruptionBudget*> known_;
  std::vector<std::int64_t> allowed_;
};

}  // namespace aliquot::extender
