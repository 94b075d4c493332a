// SPDX-License-Identifier: Apache-2.0
#include "agent/identity/node_pod.h"

#include "base/status.h"
#include "model/demand.h"

namespace aliquot::agent {

bool ContainerStatus::untouched() const {
  const bool initial =
      reason.empty() || reason == "PodInitializing" || reason == "ContainerCreating";
  return state == State::kNone ||
         (state == State::kWaiting && initial && container_id.empty() && restart_count == 0);
}

const ContainerStatus& NodePod::StatusOf(std::string_view container) const {
  static const ContainerStatus& none = *new ContainerStatus();
  for (const ContainerStatus& status : statuses) {
    if (status.name == container) return status;
  }
  return none;
}

const model::GpuContainer* NodePod::Container(std::string_view name) const {
  for (const model::GpuContainer& container : pod.gpu_containers) {
    if (container.name == name) return &container;
  }
  return nullptr;
}

SpecAmounts AmountsOf(const model::GpuContainer& container, const model::ResourceNames& names) {
  SpecAmounts amounts;
  for (const model::NamedQuantity& quantity : container.quantities) {
    const Result<std::int64_t> count = model::ParseCount(quantity.text);
    if (!count.ok()) continue;
    if (quantity.resource == names.core) amounts.core = *count;
    if (quantity.resource == names.memory) amounts.memory_units = *count;
  }
  return amounts;
}

}  // namespace aliquot::agent
