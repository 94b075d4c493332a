// SPDX-License-Identifier: Apache-2.0
#pragma once

// In which order a pod's containers are laid on cards. Pure, thread-safe.

#include <cstddef>

#include "absl/container/inlined_vector.h"
#include "model/demand.h"

namespace aliquot::scoring {

struct PlacementOrder {
  absl::InlinedVector<std::size_t, model::kMaxGpuContainersPerPod> containers;
  // The first so many are sidecars: an init container can be judged once they are placed.
  std::size_t sidecars = 0;
};

// Sidecars first, then the others; in each part whole cards first, then the larger share first,
// then spec order.
PlacementOrder OrderOf(const model::PodDemand& demand);

}  // namespace aliquot::scoring
