// SPDX-License-Identifier: Apache-2.0
#include "model/disruption_budget.h"

#include <algorithm>

namespace aliquot::model {
namespace {

bool Holds(const LabelRequirement& line, const Labels& labels) {
  const std::optional<std::string_view> value = labels.Find(line.key);
  const bool listed =
      value && std::find(line.values.begin(), line.values.end(), *value) != line.values.end();
  switch (line.op) {
    case LabelRequirement::Operator::kIn:
      return listed;
    case LabelRequirement::Operator::kNotIn:
      return !listed;
    case LabelRequirement::Operator::kExists:
      return value.has_value();
    case LabelRequirement::Operator::kDoesNotExist:
      break;
  }
  return !value.has_value();
}

}  // namespace

bool Covers(const DisruptionBudget& budget, std::string_view pod_name, const Labels& labels) {
  if (budget.unreadable_selector || budget.selector.empty() || labels.empty() ||
      budget.disrupted_pods.find(pod_name) != budget.disrupted_pods.end()) {
    return false;
  }
  return std::all_of(budget.selector.begin(), budget.selector.end(),
                     [&](const LabelRequirement& line) { return Holds(line, labels); });
}

}  // namespace aliquot::model
