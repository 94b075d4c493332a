// SPDX-License-Identifier: Apache-2.0
#include "extender/annotations.h"

#include <string>

#include "api/allocation_codec.h"
#include "api/gpu_index.h"
#include "model/names.h"

namespace aliquot::extender {

api::Annotations AllocationAnnotations(const model::Allocation& allocation,
                                       const model::PodDemand& demand,
                                       const std::vector<std::vector<int>>& minors, SystemTime now,
                                       const AnnotationOptions& options) {
  api::Annotations annotations;
  annotations[std::string(model::kAllocationAnnotation)] = api::FormatAllocation(allocation);
  annotations[std::string(model::kPredicateNodeAnnotation)] = allocation.node;
  annotations[std::string(model::kPredicateTimeAnnotation)] = std::to_string(UnixNanoseconds(now));
  for (std::size_t i = 0; i < demand.containers.size() && i < minors.size(); ++i) {
    const model::ContainerDemand& container = demand.containers[i];
    // No minors: the cards left the node after they were reserved. The record still names them.
    if (container.kind == model::ContainerKind::kApp && !minors[i].empty()) {
      annotations[api::GpuIndexKey(container.index)] = api::FormatGpuIndexes(minors[i]);
    }
  }
  if (options.gpu_assigned) {
    annotations[std::string(model::kGpuAssignedAnnotation)] = "false";
  }
  return annotations;
}

std::string CardsText(const model::PodDemand& demand, const std::vector<std::vector<int>>& minors) {
  std::string text;
  for (std::size_t i = 0; i < demand.containers.size() && i < minors.size(); ++i) {
    text += text.empty() ? "" : " ";
    text += demand.containers[i].name + "=" + api::FormatGpuIndexes(minors[i]);
  }
  return text;
}

}  // namespace aliquot::extender
