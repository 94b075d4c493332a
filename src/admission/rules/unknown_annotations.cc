// SPDX-License-Identifier: Apache-2.0
#include "admission/nearest_name.h"
#include "admission/rules/rule.h"
#include "api/annotation_value.h"
#include "base/strings.h"
#include "model/names.h"

namespace aliquot::admission {
namespace {

// Names that could only be meant for us. Of the other domain much belongs to others.
bool IsOurBusiness(std::string_view key, const model::ResourceNames& names) {
  return StartsWith(key, model::kOurDomain) || StartsWith(key, names.prefix);
}

}  // namespace

std::optional<Refusal> RefuseUnknownAnnotations(PodReview& review) {
  for (const auto& [key, value] : review.pod.annotations) {
    if (!IsOurBusiness(key, review.options.names) || api::IsOwnPodAnnotation(key) ||
        api::IsUserPodAnnotation(key)) {
      continue;
    }
    const std::string_view nearest = NearestName(key, api::UserPodAnnotations());
    return Refusal::Invalid("annotation " + Printable(key) + " is not known; " +
                            (nearest.empty() ? std::string("remove it")
                                             : "did you mean " + std::string(nearest) + "?"));
  }
  return std::nullopt;
}

}  // namespace aliquot::admission
