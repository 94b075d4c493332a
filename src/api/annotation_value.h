// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "model/pod.h"

namespace aliquot::api {

// Checks aliquot.io/isolation; what users ask otherwise is read and checked by model::DemandOf.
// The value is the warnings: what is well formed but has no effect in this version. The error is
// the refusal, one sentence. Pure and thread-safe.
Result<std::vector<std::string>> CheckIsolation(const model::Pod& pod);

// Keys by which users steer placement, the ceiling included.
const std::vector<std::string_view>& UserPodAnnotations();
bool IsUserPodAnnotation(std::string_view key);
// Keys that only Aliquot may write on a pod or a Binding.
bool IsOwnPodAnnotation(std::string_view key);

}  // namespace aliquot::api
