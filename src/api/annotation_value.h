// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "model/demand.h"
#include "model/pod.h"

namespace aliquot::api {

// Checks the annotations by which users steer placement (docs/reference/annotations.md):
// aliquot.io/gpu-count, gpu-model, gpu-uuid, placement, link, numa and isolation. The ceiling is
// model::DemandOf's.
//
// The value is the warnings: one for each annotation that is well formed but has no effect in this
// version. The error is the refusal, one sentence: a malformed value, or "required", which this
// version can't honour and therefore must not accept. Pure and thread-safe.
Result<std::vector<std::string>> CheckUserAnnotations(const model::Pod& pod,
                                                      const model::PodDemand& demand);

// Keys by which users steer placement, the ceiling included.
const std::vector<std::string_view>& UserPodAnnotations();
bool IsUserPodAnnotation(std::string_view key);
// Keys that only Aliquot may write on a pod or a Binding.
bool IsOwnPodAnnotation(std::string_view key);

}  // namespace aliquot::api
