// SPDX-License-Identifier: Apache-2.0
#include "simulate/demand_cache.h"

#include <utility>

#include "base/strings.h"
#include "model/names.h"
#include "simulate/trace_objects.h"

namespace aliquot::simulate {

DemandCache::DemandCache(const std::vector<TracePod>& pods) {
  const model::ResourceNames names;
  demands_.reserve(pods.size());
  for (const TracePod& pod : pods) {
    Result<model::PodDemand> demand = model::DemandOf(PodObject(pod, pod.name, names), names);
    if (!demand.ok()) {
      problem_ = demand.status().WithContext("pod \"" + Printable(pod.name) + "\"");
      return;
    }
    demands_.push_back(*std::move(demand));
  }
}

}  // namespace aliquot::simulate
