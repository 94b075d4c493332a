// SPDX-License-Identifier: Apache-2.0
#include "admission/rules/rule.h"
#include "base/strings.h"

namespace aliquot::admission {
namespace {

using nlohmann::json;

bool HoldsShare(const PodReview& review, std::string_view name) {
  for (const model::GpuContainer& container : review.pod.gpu_containers) {
    if (container.name == name) {
      return true;
    }
  }
  return false;
}

}  // namespace

// A privileged container sees every device of its node: no share can be held against it.
std::optional<Refusal> RefusePrivileged(PodReview& review) {
  for (const ContainerList& list : ContainerLists(review.object)) {
    for (const json& container : *list.containers) {
      const json* privileged = Member(container, {"securityContext", "privileged"});
      if (privileged != nullptr && *privileged == true &&
          HoldsShare(review, container["name"].get_ref<const std::string&>())) {
        return Refusal::Forbidden(
            ContainerLabel(container) +
            ": securityContext.privileged is true, which opens every GPU of the "
            "node; remove it, or ask for no GPU");
      }
    }
  }
  return std::nullopt;
}

}  // namespace aliquot::admission
