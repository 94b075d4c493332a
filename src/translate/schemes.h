// SPDX-License-Identifier: Apache-2.0
#pragma once

// The schemes, one a file. Each reads the pod and leaves in the edit what is to change; an edit
// that gave nothing is dropped. The error is one sentence.

#include "base/status.h"
#include "translate/pod_edit.h"

namespace aliquot::translate {

Status TranslateHami(PodEdit& edit);           // hami.cc
void TranslateHamiAnnotations(PodEdit& edit);  // hami_annotations.cc
Status TranslateNvidia(PodEdit& edit);         // nvidia.cc
Status TranslateKai(PodEdit& edit);            // kai.cc

inline constexpr char kGpuResource[] = "nvidia.com/gpu";
inline constexpr char kHamiScheduler[] = "hami-scheduler";
inline constexpr char kKaiScheduler[] = "kai-scheduler";

// nvidia.com/gpu as whole GPUs, for one container; nothing happens where it is 0 or not there.
Status GiveWholeGpus(PodEdit& edit, const ContainerRef& container);  // nvidia.cc

}  // namespace aliquot::translate
