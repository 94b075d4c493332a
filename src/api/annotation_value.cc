// SPDX-License-Identifier: Apache-2.0
#include "api/annotation_value.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/strings.h"
#include "model/annotation_text.h"
#include "model/names.h"

namespace aliquot::api {

Result<std::vector<std::string>> CheckIsolation(const model::Pod& pod) {
  constexpr std::string_view kKey = model::kIsolationAnnotation;
  const std::string* value = pod.Annotation(kKey);
  std::vector<std::string> warnings;
  if (value == nullptr) {
    return warnings;
  }
  if (Status status = model::CheckAnnotationWord(
          kKey, *value, {"auto", "driver", "library", "mps", "mig", "none"});
      !status.ok()) {
    return status;
  }
  if (*value == "mps" || *value == "mig") {
    warnings.push_back("annotation " + std::string(kKey) + " has no effect in this version");
  }
  return warnings;
}

bool IsOwnPodAnnotation(std::string_view key) {
  constexpr std::array<std::string_view, 6> kOwn = {
      model::kAllocationAnnotation,    model::kAllocationSignatureAnnotation,
      model::kPredicateNodeAnnotation, model::kPredicateTimeAnnotation,
      model::kGpuAssignedAnnotation,   model::kRequeuedAnnotation};
  return std::find(kOwn.begin(), kOwn.end(), key) != kOwn.end() ||
         StartsWith(key, model::kGpuIndexAnnotationPrefix);
}

const std::vector<std::string_view>& UserPodAnnotations() {
  static const std::vector<std::string_view> keys = {
      model::kCoreLimitAnnotation, model::kGpuCountAnnotation,  model::kGpuModelAnnotation,
      model::kGpuUuidAnnotation,   model::kPlacementAnnotation, model::kLinkAnnotation,
      model::kNumaAnnotation,      model::kIsolationAnnotation};
  return keys;
}

bool IsUserPodAnnotation(std::string_view key) {
  const auto& keys = UserPodAnnotations();
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

}  // namespace aliquot::api
