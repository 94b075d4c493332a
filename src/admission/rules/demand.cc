// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "admission/rules/rule.h"
#include "model/demand.h"

namespace aliquot::admission {

// The resource model's own rules, with the sentences that filter and bind use too.
std::optional<Refusal> CheckDemand(PodReview& review) {
  Result<model::PodDemand> demand = model::DemandOf(review.pod, review.options.names);
  if (!demand.ok()) {
    return Refusal::Invalid(demand.status().message());
  }
  review.demand = *std::move(demand);
  return std::nullopt;
}

}  // namespace aliquot::admission
