// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/string_map.h"
#include "model/disruption_budget.h"

namespace aliquot::ledger {

// The cluster's PodDisruptionBudgets as the watch has them. They only refine which victims a
// preemption picks, so nothing waits for them. Thread-safe.
class DisruptionBudgets {
 public:
  using Budget = std::shared_ptr<const model::DisruptionBudget>;

  // These are all there are.
  void Replace(const std::vector<model::DisruptionBudget>& all);
  void Put(const model::DisruptionBudget& budget);
  void Remove(const model::DisruptionBudget& budget);

  // A full list has come; before it, who is covered is not known.
  bool listed() const;
  // By name.
  std::vector<Budget> Of(std::string_view namespace_name) const;

 private:
  void PutLocked(const model::DisruptionBudget& budget) REQUIRES(mutex_);

  mutable Mutex mutex_;
  bool listed_ GUARDED_BY(mutex_) = false;
  StringMap<StringMap<Budget>> by_namespace_ GUARDED_BY(mutex_);
};

}  // namespace aliquot::ledger
