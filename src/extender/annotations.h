// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "api/binding_codec.h"
#include "base/clock.h"
#include "model/allocation.h"
#include "model/demand.h"

namespace aliquot::extender {

struct AnnotationOptions {
  // Also writes tencent.com/gpu-assigned=false, as gpu-manager's own scheduler does. Off unless
  // configured: an agent that flips it later pays one more write a pod.
  bool gpu_assigned = false;
};

// What is written on a pod when its cards are chosen: by bind and the webhook stamp into the
// Binding, by the late stamp onto the pod. Pure; formats: docs/reference/annotations.md.
//
// `minors` is parallel to `allocation.containers` and to `demand.containers`. Init containers get
// no predicate-gpu-idx-*: gpu-manager numbers spec.containers only, and the record has them all.
api::Annotations AllocationAnnotations(const model::Allocation& allocation,
                                       const model::PodDemand& demand,
                                       const std::vector<std::vector<int>>& minors, SystemTime now,
                                       const AnnotationOptions& options);

// The cards of each container for the log: "server=0,1 side=3".
std::string CardsText(const model::PodDemand& demand, const std::vector<std::vector<int>>& minors);

}  // namespace aliquot::extender
