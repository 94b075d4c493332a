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

// What came before the pod's present sandbox, or before the last run of an init container that
// comes first, was in an earlier life of the pod. All times are in whole seconds, so that those
// within one say nothing. `own` is the status of an ordinary init container that has ended.
bool IsOfAnEarlierLife(const NodePod& pod, const ContainerStatus& own) {
  for (const model::GpuContainer& container : pod.pod.gpu_containers) {
    if (container.name == own.name) break;
    if (container.kind != model::ContainerKind::kInit) continue;  // a sidecar starts at any time
    if (pod.StatusOf(container.name).started_at > own.started_at) return true;
  }
  if (pod.sandbox_since.empty()) return false;
  bool is_first = true;
  bool passed = false;
  for (const ContainerStatus& other : pod.statuses) {
    if (other.name == own.name) {
      // The first may be quicker than the kubelet's look at its sandbox.
      if (!is_first && own.started_at < pod.sandbox_since) return true;
      passed = true;
    } else if (passed && !other.started_at.empty() && other.started_at < pod.sandbox_since) {
      const std::string& end = other.finished_at.empty() ? other.started_at : other.finished_at;
      if (own.started_at < end) return true;
    }
    is_first = false;
  }
  return false;
}

bool WasToldLast(const NodePod& pod, const std::string& name,
                 const std::optional<LastStart>& last) {
  return last && last->uid == pod.pod.uid && last->container == name;
}

bool IsDone(const NodePod& pod, const std::string& name, const std::optional<LastStart>& last) {
  const ContainerStatus& status = pod.StatusOf(name);
  if (!status.completed() || pod.without_sandbox) return false;
  // It was to run again, and nothing is told of that run.
  const bool told = WasToldLast(pod, name, last) && last->status.has_value();
  if (told && Unchanged(*last->status, status)) return false;
  return !IsOfAnEarlierLife(pod, status);
}

// Of an init container that is not done, and is the first of its pod to have these IDs.
Trust TrustInFirst(const NodePod& pod, const std::string& name,
                   const std::optional<LastStart>& last, SteadyTime now, SteadyTime heard) {
  const ContainerStatus& status = pod.StatusOf(name);
  // It may have run, and ended well, with all of that still on its way to us.
  if (!WasToldLast(pod, name, last) || !last->granted) return Trust::kCertain;
  if (last->status && !Unchanged(*last->status, status)) return Trust::kCertain;
  const bool settled = now - last->at >= kStatusSettles && heard >= last->at + kStatusSettles;
  return settled ? Trust::kLikely : Trust::kUncertain;
}

// Of one that follows others, which are done. The first time it is asked for, it is it. Later it
// starts again, or its pod begins anew and the first init container does: a status yet to come
// tells. The former is by far the more common.
Trust TrustInFollower(const NodePod& pod, const std::string& name,
                      const std::optional<LastStart>& last) {
  const bool asked_before =
      WasToldLast(pod, name, last) || (last && last->uid == pod.pod.uid && last->asked_since);
  return pod.StatusOf(name).untouched() && !asked_before ? Trust::kCertain : Trust::kLikely;
}

}  // namespace

StartingContainer FindStarting(const NodePod& pod, const std::vector<std::string>& containers,
                               const std::optional<LastStart>& last, SteadyTime now,
                               SteadyTime heard) {
  if (containers.size() == 1) return {containers[0], Trust::kCertain};
  for (const std::string& name : containers) {
    const bool is_init = IsOrdinaryInit(pod, name);
    if (is_init && IsDone(pod, name, last)) continue;
    const bool runs = pod.StatusOf(name).state == ContainerStatus::State::kRunning;
    // It has ended since, well or badly: the one that follows starts, or it does again.
    if (is_init && runs && !pod.without_sandbox) return {name, Trust::kUncertain};
    const Trust first = TrustInFirst(pod, name, last, now, heard);
    const Trust follower = TrustInFollower(pod, name, last);
    if (name == containers[0]) return {name, first};
    return {name, is_init && first == Trust::kUncertain ? first : follower};
  }
  // All are init containers, and all are done: the pod begins anew, and its status is behind.
  return {containers[0], Trust::kUncertain};
}

}  // namespace aliquot::agent
