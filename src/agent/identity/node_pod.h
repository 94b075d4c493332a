// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/names.h"
#include "model/pod.h"

namespace aliquot::agent {

// A pod of this node: what all of Aliquot reads of it, and what only the node needs, the states of
// its containers. Plain values.

// What the kubelet last told the API server of a container.
struct ContainerStatus {
  enum class State { kNone, kWaiting, kRunning, kTerminated };

  std::string name;
  State state = State::kNone;
  std::string reason;          // of kWaiting: "PodInitializing", "CreateContainerError", ...
  std::int64_t exit_code = 0;  // of kTerminated
  std::int64_t restart_count = 0;
  std::string container_id;  // "" before the first start
  // Of its last run, in the API's own spelling, which sorts as time does ("2026-11-29T13:42:20Z",
  // whole seconds); "" = it has none, or that run goes on.
  std::string started_at;
  std::string finished_at;

  bool completed() const { return state == State::kTerminated && exit_code == 0; }
  // Nothing is told of it yet that would tell one start from another.
  bool untouched() const;
};

struct NodePod {
  model::Pod pod;
  // Of init containers and sidecars, then of app containers; all of them, not only those with our
  // resources, in the order in which they start.
  std::vector<ContainerStatus> statuses;
  // status.startTime is set: the kubelet has admitted this very UID.
  bool acknowledged = false;
  // Condition PodReadyToStartContainers is False: the pod has no sandbox, so that every init
  // container is to run, again if need be.
  bool without_sandbox = false;
  // Since when that condition is True, spelt as ContainerStatus::started_at; "" = not known.
  std::string sandbox_since;

  // A status of that name, or one of state kNone.
  const ContainerStatus& StatusOf(std::string_view container) const;
  // The container with our resources of that name, or nullptr.
  const model::GpuContainer* Container(std::string_view name) const;
};

// What a container's spec asks for of our two resources; 0 where it names none, or writes what is
// no whole number.
struct SpecAmounts {
  std::int64_t core = 0;
  std::int64_t memory_units = 0;
};
SpecAmounts AmountsOf(const model::GpuContainer& container, const model::ResourceNames& names);

}  // namespace aliquot::agent
