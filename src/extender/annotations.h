// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "api/binding_codec.h"
#include "base/clock.h"
#include "base/status.h"
#include "model/allocation.h"
#include "model/demand.h"
#include "signing/signer.h"

namespace aliquot::extender {

struct AnnotationOptions {
  // Also writes tencent.com/gpu-assigned=false, as gpu-manager's own scheduler does. Off unless
  // configured: an agent that flips it later pays one more write a pod.
  bool gpu_assigned = false;
  // Signs the record; null: records carry no signature. Must outlive whoever has these options.
  const signing::Signer* signer = nullptr;
};

// What is written on a pod when its cards are chosen: by bind and the webhook stamp into the
// Binding, by the late stamp onto the pod. Formats: docs/reference/annotations.md. Pure, but for
// the signer's key. Signing takes longer than all the rest (docs/adr/0011-signing.md): call without
// a lock.
//
// The keys are fit for a pod (api::CheckAnnotations). An error when they are not, or when the
// record cannot be signed: nothing may be written then.
//
// `minors` is parallel to `allocation.containers` and to `demand.containers`. Init containers get
// no predicate-gpu-idx-*: gpu-manager numbers spec.containers only, and the record has them all.
Result<api::Annotations> AllocationAnnotations(const model::Allocation& allocation,
                                               const model::PodDemand& demand,
                                               const std::vector<std::vector<int>>& minors,
                                               SystemTime now, const AnnotationOptions& options);

// The cards of each container for the log: "server=0,1 side=3".
std::string CardsText(const model::PodDemand& demand, const std::vector<std::vector<int>>& minors);

}  // namespace aliquot::extender
