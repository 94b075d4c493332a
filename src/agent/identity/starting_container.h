// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "agent/identity/node_pod.h"
#include "base/clock.h"

namespace aliquot::agent {

// Which of a pod's containers is about to start, when several were given the very same device IDs:
// ordinary init containers, one after the other, and at last the sidecar or app container that
// keeps the IDs. The kubelet starts the first that is not done; what is done stands in the pod's
// status, which it writes to the API server a moment after the fact. So a status may be behind, and
// this says when it may.
//
// When a pod loses its sandbox, all its init containers run again, while their statuses still tell
// of the run before. Those are told by their times: within one life of a pod an init container
// starts after all that come before it, and no container but the very first starts before the
// kubelet has found the sandbox ready. So when one has last run before that, those that come before
// it are done only if they have run since. What no status can tell: a sandbox lost in the moment
// between the end of an init container and the start of the next; and, to an agent that has come
// since, one lost before any but the first has run. A container then gets the share of another of
// its own pod.

// The last container that was told to be starting with these IDs.
struct LastStart {
  std::string uid;
  std::string container;
  std::optional<ContainerStatus> status;  // its own, when it was; nothing: another agent told it
  SteadyTime at;
  bool granted = true;  // else it was refused in the end, and has not run
  // Since then it was asked who starts with these IDs, and nobody could say.
  bool asked_since = false;
};

struct StartingContainer {
  enum class Trust {
    kCertain,    // no later status can say otherwise
    kLikely,     // wait for a later status; without one this is the container
    kUncertain,  // wait for a later status; without one nobody can say
  };

  std::string container;
  Trust trust = Trust::kCertain;
};

// An init container that was told to start so long ago, and of which a watch that is alive has
// shown nothing since, has not run: the kubelet asks for it again.
inline constexpr std::chrono::seconds kStatusSettles{5};

// Pure. `containers`: those with the same IDs, in the order of their starts, at least one. `heard`:
// when the watch last said anything.
StartingContainer FindStarting(const NodePod& pod, const std::vector<std::string>& containers,
                               const std::optional<LastStart>& last, SteadyTime now,
                               SteadyTime heard);

}  // namespace aliquot::agent
