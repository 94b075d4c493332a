// SPDX-License-Identifier: Apache-2.0
#include "admission/rules/rule.h"
#include "base/strings.h"

namespace aliquot::admission {

// A warning only: a larger card may join the cluster later.
std::optional<Refusal> WarnLargeShares(PodReview& review) {
  if (!review.options.largest_card_mib) {
    return std::nullopt;
  }
  const std::optional<std::int64_t> largest = review.options.largest_card_mib();
  if (!largest) {
    return std::nullopt;
  }
  for (const model::ContainerDemand& container : review.demand.containers) {
    if (container.mib > *largest) {
      review.warnings.push_back("container \"" + Printable(container.name) + "\" asks for " +
                                std::to_string(container.mib) +
                                " MiB on one GPU, more than any card known now; the largest has " +
                                std::to_string(*largest) + " MiB");
    }
  }
  return std::nullopt;
}

}  // namespace aliquot::admission
