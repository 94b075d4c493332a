// SPDX-License-Identifier: Apache-2.0
#pragma once

// What each pod of a trace asks for, read once by the service's own rules. Immutable; thread-safe.

#include <cstddef>
#include <vector>

#include "base/status.h"
#include "model/demand.h"
#include "simulate/openb_trace.h"

namespace aliquot::simulate {

class DemandCache {
 public:
  explicit DemandCache(const std::vector<TracePod>& pods);

  // Why the resource model refuses a pod, with its name; OK when it takes all of them.
  const Status& problem() const { return problem_; }
  // Pre: problem() is OK.
  const model::PodDemand& Of(std::size_t pod) const { return demands_[pod]; }

 private:
  std::vector<model::PodDemand> demands_;
  Status problem_;
};

}  // namespace aliquot::simulate
