// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "model/cluster.h"

// Bodies of our patches of pods. Each carries metadata.uid, which the API server takes as a
// precondition. Pure; the result is valid JSON also for text that is not valid UTF-8.

namespace aliquot::kubeclient {

inline constexpr std::string_view kMergePatch = "application/merge-patch+json";
// Lists of conditions are merged by type with this one, instead of replaced.
inline constexpr std::string_view kStrategicMergePatch = "application/strategic-merge-patch+json";

std::string FormatMetadataPatch(std::string_view uid,
                                const std::map<std::string, std::string>& annotations,
                                const std::map<std::string, std::string>& labels);

std::string FormatConditionPatch(std::string_view uid, const model::PodCondition& condition,
                                 SystemTime now);

}  // namespace aliquot::kubeclient
