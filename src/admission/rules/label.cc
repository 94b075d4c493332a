// SPDX-License-Identifier: Apache-2.0
#include "admission/rules/rule.h"
#include "model/names.h"

namespace aliquot::admission {

// Our watch is scoped by this label.
std::optional<Refusal> SetLabel(PodReview& review) {
  const std::string key(model::kGpuLabel);
  const std::string value(model::kGpuLabelValue);
  bool map_added = false;
  if (SetInMap(review.patch, "/metadata/labels", Member(review.object, {"metadata", "labels"}),
               map_added, key, value)) {
    review.warnings.push_back("label " + key + " is set to " + value + "; only Aliquot writes it");
  }
  return std::nullopt;
}

}  // namespace aliquot::admission
