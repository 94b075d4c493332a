// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/status.h"
#include "model/disruption_budget.h"

namespace simdjson::dom {
class element;
}

namespace aliquot::api {

// Reads what Aliquot needs of a policy/v1 PodDisruptionBudget
// (kubernetes.io/docs/reference/kubernetes-api/policy-resources/pod-disruption-budget-v1). Pure and
// thread-safe; rules as in pod_codec.h.
Result<model::DisruptionBudget> DecodeDisruptionBudget(const simdjson::dom::element& value);

}  // namespace aliquot::api
