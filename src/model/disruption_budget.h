// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/labels.h"

namespace aliquot::model {

// One line of a label selector; matchLabels are lines with kIn and one value.
struct LabelRequirement {
  enum class Operator { kIn, kNotIn, kExists, kDoesNotExist };
  std::string key;
  Operator op = Operator::kIn;
  std::vector<std::string> values;
};

// What Aliquot needs of a policy/v1 PodDisruptionBudget. Plain value.
struct DisruptionBudget {
  std::string namespace_name;
  std::string name;
  std::string resource_version;
  std::vector<LabelRequirement> selector;
  // The selector has an operator that we do not know: then it matches nothing.
  bool unreadable_selector = false;
  std::int64_t disruptions_allowed = 0;
  // Pods of which the eviction is counted in disruptions_allowed already.
  std::set<std::string, std::less<>> disrupted_pods;
};

// Whether the budget speaks for a pod of its namespace. As in kube-scheduler's preemption
// (filterPodsWithPDBViolation): an empty selector matches nothing, a pod without labels is matched
// by none, and a pod in disrupted_pods is not counted again. An absent key satisfies kNotIn, as
// everywhere in Kubernetes.
bool Covers(const DisruptionBudget& budget, std::string_view pod_name, const Labels& labels);

}  // namespace aliquot::model
