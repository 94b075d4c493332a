// SPDX-License-Identifier: Apache-2.0
#include "admission/rules/rule.h"
#include "api/annotation_value.h"

namespace aliquot::admission {

// What the demand does not hold; the annotations about cards are the rule "demand"'s.
std::optional<Refusal> CheckAnnotationValues(PodReview& review) {
  const auto warnings = api::CheckIsolation(review.pod);
  if (!warnings.ok()) {
    return Refusal::Invalid(warnings.status().message());
  }
  review.warnings.insert(review.warnings.end(), warnings->begin(), warnings->end());
  return std::nullopt;
}

}  // namespace aliquot::admission
