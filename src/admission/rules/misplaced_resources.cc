// SPDX-License-Identifier: Apache-2.0
#include "admission/rules/rule.h"
#include "base/strings.h"

namespace aliquot::admission {
namespace {

using nlohmann::json;

// The first resource of our prefix that `holder` names in its requests or limits, or "".
std::string OurResource(const json& holder, const std::string& prefix) {
  for (const char* kind : {"limits", "requests"}) {
    const json* amounts = Member(holder, {"resources", kind});
    if (amounts == nullptr || !amounts->is_object()) {
      continue;
    }
    for (const auto& [key, value] : amounts->items()) {
      if (StartsWith(key, prefix)) {
        return key;
      }
    }
  }
  return {};
}

}  // namespace

// Only containers and init containers can hold a share: kube-scheduler, kubelet and we look nowhere
// else.
std::optional<Refusal> RefuseMisplacedResources(PodReview& review) {
  const std::string& prefix = review.options.names.prefix;
  const json& spec = review.object["spec"];
  if (const std::string resource = OurResource(spec, prefix); !resource.empty()) {
    return Refusal::Invalid("spec.resources names " + Printable(resource) +
                            " for the whole pod; set it on the container that uses the GPU");
  }
  const json* ephemeral = Member(spec, "ephemeralContainers");
  if (ephemeral == nullptr) {
    return std::nullopt;
  }
  for (const json& container : *ephemeral) {
    if (const std::string resource = OurResource(container, prefix); !resource.empty()) {
      return Refusal::Invalid("spec.ephemeralContainers names " + Printable(resource) +
                              "; an ephemeral container can't hold a GPU: remove it");
    }
  }
  return std::nullopt;
}

}  // namespace aliquot::admission
