// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "agent/gpu/backend.h"
#include "agent/grant/decision.h"
#include "agent/grant/state_layout.h"
#include "agent/usage/node_figures.h"
#include "agent/usage/process_owner.h"
#include "agent/usage/share_counters.h"

namespace aliquot::agent {

// What a reading is made of besides the driver and the usage files.
struct ReadingInputs {
  std::string node;
  Machine machine;
  std::map<std::string, CardStanding, std::less<>> standing;
  LiveList grants;
  // By name of the grant, one entry a card.
  std::map<std::string, std::vector<ShareEnforcement>> enforcement;
  // Container IDs (64 hex digits) of the node's GPU containers: to pod UID and container name.
  std::map<std::string, std::pair<std::string, std::string>, std::less<>> containers;
};

// Takes one reading: the driver's figures of each card, the usage file of each grant, and the owner
// of each process on a card. Blocks as long as the driver does; called for a scrape, never on the
// way of a container's start. `owner_of` is OwnerOf of process_owner.h, or what a test gives. What
// the usage files say is added to `counters`.
NodeFigures TakeReading(const ReadingInputs& inputs, GpuBackend& backend, const StateLayout& layout,
                        const std::function<std::optional<ProcessOwner>(pid_t)>& owner_of,
                        ShareCounters& counters);

}  // namespace aliquot::agent
