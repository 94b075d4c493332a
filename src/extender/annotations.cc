// SPDX-License-Identifier: Apache-2.0
#include "extender/annotations.h"

#include <string>
#include <utility>

#include "api/allocation_codec.h"
#include "api/gpu_index.h"
#include "model/names.h"

namespace aliquot::extender {

Result<api::Annotations> AllocationAnnotations(const model::Allocation& allocation,
                                               const model::PodDemand& demand,
                                               const std::vector<std::vector<int>>& minors,
                                               SystemTime now, const AnnotationOptions& options) {
  api::Annotations annotations;
  std::string record = api::FormatAllocation(allocation);
  if (options.signer != nullptr) {
    Result<std::string> signature = options.signer->Sign(record);
    if (!signature.ok()) {
      return signature.status().WithContext("the record cannot be signed");
    }
    annotations[std::string(model::kAllocationSignatureAnnotation)] = *std::move(signature);
  }
  annotations[std::string(model::kAllocationAnnotation)] = std::move(record);
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
  // The API server would take a bad key in a Binding and refuse every later update of the pod.
  if (Status checked = api::CheckAnnotations(annotations); !checked.ok()) {
    return checked;
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
