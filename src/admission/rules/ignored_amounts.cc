// SPDX-License-Identifier: Apache-2.0
#include "admission/rules/rule.h"
#include "base/strings.h"
#include "model/names.h"

namespace aliquot::admission {
namespace {

const model::ContainerDemand* DemandOf(const PodReview& review, std::string_view name) {
  for (const model::ContainerDemand& container : review.demand.containers) {
    if (container.name == name) {
      return &container;
    }
  }
  return nullptr;
}

void WarnMemoryOfWholeCards(PodReview& review) {
  const std::string& memory = review.options.names.memory;
  for (const model::GpuContainer& container : review.pod.gpu_containers) {
    const model::ContainerDemand* demand = DemandOf(review, container.name);
    if (demand == nullptr || !demand->whole) {
      continue;
    }
    for (const model::NamedQuantity& quantity : container.quantities) {
      if (quantity.resource == memory) {
        review.warnings.push_back("container \"" + Printable(container.name) + "\": " + memory +
                                  " is ignored for whole GPUs, which come with all their memory");
      }
    }
  }
}

void WarnCeiling(PodReview& review) {
  const std::string* ceiling = review.pod.Annotation(model::kCoreLimitAnnotation);
  if (ceiling == nullptr) {
    return;
  }
  const std::string field = "annotation " + std::string(model::kCoreLimitAnnotation);
  const auto percent = ParseUnsigned(*ceiling);
  if (percent && *percent > model::kWholeCardCore) {
    review.warnings.push_back(field + " is " + Printable(*ceiling) + "; it is taken as 100");
  }
  for (const model::ContainerDemand& container : review.demand.containers) {
    if (container.whole) {
      review.warnings.push_back("container \"" + Printable(container.name) + "\": " + field +
                                " is ignored for whole GPUs");
    }
  }
}

}  // namespace

// What the resource model takes but does not use.
std::optional<Refusal> WarnIgnoredAmounts(PodReview& review) {
  WarnMemoryOfWholeCards(review);
  WarnCeiling(review);
  return std::nullopt;
}

}  // namespace aliquot::admission
