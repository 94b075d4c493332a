// SPDX-License-Identifier: Apache-2.0
#include "admission/rules/rule.h"
#include "base/strings.h"

namespace aliquot::admission {

// A preset node bypasses scheduler, extender and Binding alike: nothing would choose cards.
std::optional<Refusal> RefusePresetNode(PodReview& review) {
  if (review.pod.node_name.empty()) {
    return std::nullopt;
  }
  return Refusal::Forbidden(
      "spec.nodeName is \"" + Printable(review.pod.node_name) +
      "\", which bypasses the scheduler that chooses the GPU; remove it, or use "
      "spec.nodeSelector with kubernetes.io/hostname");
}

}  // namespace aliquot::admission
