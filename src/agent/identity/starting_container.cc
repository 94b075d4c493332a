// SPDX-License-Identifier: Apache-2.0
#include "agent/identity/starting_container.h"

namespace aliquot::agent {
namespace {

using Trust = StartingContainer::Trust;

bool IsOrdinaryInit(const NodePod& pod, const std::string& name) {
  const model::GpuContainer* container = pod.Container(name);
  return container != nullptr && container->kind == model::ContainerKind::kInit;
}

// Nothing has been told of the container since. Its status before its first start takes several
// forms that mean the same.
bool Unchanged(const ContainerStatus& before, const ContainerStatus& now) {
  if (before.untouched() && now.untouched()) return true;
  return before.state == now.state && before.reason == now.reason &&
         before.exit_code == now.exit_code && before.restart_count == now.restart_count &&
         before.container_id == now.container_id;
}

// Of an init container that is not done by its status.
Trust TrustInInit(const NodePod& pod, const std::string& name, const std::optional<LastStart>& last,
                  SteadyTime now, SteadyTime heard) {
  const ContainerStatus& status = pod.StatusOf(name);
  // It has ended since, well or badly: the one that follows starts, or it does again.
  if (status.state == ContainerStatus::State::kRunning && !pod.without_sandbox) {
    return Trust::kUncertain;
  }
  const bool told_before = last && last->uid == pod.pod.uid && last->container == name;
  if (!told_before || !Unchanged(last->status, status)) return Trust::kCertain;
  // It may have run and ended since, with all of that still on its way to us.
  const bool settled = now - last->at >= kStatusSettles && heard >= last->at + kStatusSettles;
  return settled ? Trust::kLikely : Trust::kUncertain;
}

}  // namespace

StartingContainer FindStarting(const NodePod& pod, const std::vector<std::string>& containers,
                               const std::optional<LastStart>& last, SteadyTime now,
                               SteadyTime heard) {
  if (containers.size() == 1) return {containers[0], Trust::kCertain};
  for (const std::string& name : containers) {
    const ContainerStatus& status = pod.StatusOf(name);
    if (!IsOrdinaryInit(pod, name)) {
      // It starts again, or its pod begins anew and the first init container does: a later status
      // tells. The former is by far the more common.
      return {name, status.untouched() ? Trust::kCertain : Trust::kLikely};
    }
    if (status.completed() && !pod.without_sandbox) continue;
    return {name, TrustInInit(pod, name, last, now, heard)};
  }
  // All are init containers, and all are done: the pod begins anew, and its status is behind.
  return {containers[0], Trust::kUncertain};
}

}  // namespace aliquot::agent
