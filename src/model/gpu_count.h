// SPDX-License-Identifier: Apache-2.0
#pragma once

// Annotation aliquot.io/gpu-count: N asks that every share is taken as core/N and memory/N on each
// of N different cards. Pure, thread-safe.

#include <vector>

#include "base/status.h"
#include "model/demand.h"
#include "model/pod.h"

namespace aliquot::model {

inline constexpr int kMaxGpuCount = 16;

// Spreads a share over `count` cards; false, and nothing changed, when its core or its memory
// (units of 256 MiB) is no multiple of `count`. Pre: !share.whole, count >= 1.
bool SpreadOver(int count, ContainerDemand& share);

// Applies the pod's annotation to its containers. The error is one sentence: not 1 to 16, whole
// cards, or not divisible.
Status ApplyGpuCount(const Pod& pod, std::vector<ContainerDemand>& containers);

}  // namespace aliquot::model
