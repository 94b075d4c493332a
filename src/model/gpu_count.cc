// SPDX-License-Identifier: Apache-2.0
#include "model/gpu_count.h"

#include "base/strings.h"
#include "model/annotation_text.h"
#include "model/names.h"

namespace aliquot::model {

bool SpreadOver(int count, ContainerDemand& share) {
  const int core = share.core * share.cards;
  const std::int64_t units = share.mib * share.cards / kMebibytesPerMemoryUnit;
  if (core % count != 0 || units % count != 0) {
    return false;
  }
  share.cards = count;
  share.core = core / count;
  share.mib = units / count * kMebibytesPerMemoryUnit;
  return true;
}

Status ApplyGpuCount(const Pod& pod, std::vector<ContainerDemand>& containers) {
  constexpr std::string_view kKey = kGpuCountAnnotation;
  const std::string* value = pod.Annotation(kKey);
  if (value == nullptr) {
    return Status::Ok();
  }
  const auto count = ParseUnsigned(*value);
  if (!count || *count == 0 || *count > kMaxGpuCount) {
    return MalformedAnnotation(kKey, *value, "use a whole number from 1 to 16");
  }
  for (ContainerDemand& container : containers) {
    const std::string name = " of container \"" + Printable(container.name) + "\"";
    if (container.whole) {
      return MalformedAnnotation(
          kKey, *value, "it divides shares, but the demand" + name + " is whole GPUs: remove it");
    }
    if (!SpreadOver(static_cast<int>(*count), container)) {
      return MalformedAnnotation(kKey, *value,
                                 "it does not divide core " + std::to_string(container.core) +
                                     " and memory " +
                                     std::to_string(container.mib / kMebibytesPerMemoryUnit) +
                                     name + ": use a number that divides both");
    }
  }
  return Status::Ok();
}

}  // namespace aliquot::model
