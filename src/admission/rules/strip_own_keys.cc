// SPDX-License-Identifier: Apache-2.0
#include "admission/rules/rule.h"
#include "api/annotation_value.h"
#include "base/strings.h"

namespace aliquot::admission {

// Restores and copied YAML bring the record of another pod along; nobody but us may write one.
std::optional<Refusal> StripOwnKeys(PodReview& review) {
  for (const auto& [key, value] : review.pod.annotations) {
    if (api::IsOwnPodAnnotation(key)) {
      review.patch.Remove(Patch::Member("/metadata/annotations", key));
      review.warnings.push_back("annotation " + Printable(key) +
                                " is removed; only Aliquot writes it");
    }
  }
  return std::nullopt;
}

}  // namespace aliquot::admission
