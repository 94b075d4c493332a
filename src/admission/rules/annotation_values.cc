// SPDX-License-Identifier: Apache-2.0
#include "admission/rules/rule.h"
#include "api/annotation_value.h"

namespace aliquot::admission {

std::optional<Refusal> CheckAnnotationValues(PodReview& review) {
  const auto warnings = api::CheckUserAnnotations(review.pod, review.demand);
  if (!warnings.ok()) {
    return Refusal::Invalid(warnings.status().message());
  }
  review.warnings.insert(review.warnings.end(), warnings->begin(), warnings->end());
  return std::nullopt;
}

}  // namespace aliquot::admission
