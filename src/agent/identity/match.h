// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/identity/checkpoint.h"
#include "agent/identity/node_pods.h"
#include "agent/identity/pod_resources.h"
#include "model/names.h"

namespace aliquot::agent {

// Whose device IDs these are. Pure; all `ids` are sorted, each once. What is found points into the
// snapshot.

struct Match {
  enum class Kind {
    kPod,       // one pod that may start containers
    kSeveral,   // more than one: the kubelet gave the IDs twice
    kFinished,  // only pods that have ended
    kNotShown,  // the UID is of no pod in the snapshot
    kNobody,    // nobody is named
  };

  Kind kind = Kind::kNobody;
  std::vector<const NodePod*> pods;  // kPod: one; kSeveral, kFinished: all, by name
  // kNotShown, kSeveral: those named of which the snapshot has no pod, sorted.
  std::vector<std::string> uids;
  // kPod: its containers that were given exactly these IDs, in the order in which they start:
  // ordinary init containers hand theirs on, so that several may hold the very same.
  std::vector<std::string> containers;
};

// By the checkpoint, which names UID and container. A UID that is not in the snapshot is of a pod
// that is not shown yet, or of one that is dead. When another pod has the same IDs it must not be
// taken for dead: the kubelet drops the dead before it gives their IDs away, so that two UIDs with
// the same IDs are a double allocation, and it may be the unknown one that starts.
Match MatchCheckpoint(const std::vector<std::string>& ids, const Checkpoint& checkpoint,
                      const PodsSnapshot& pods);

// Without the checkpoint: the pods worth asking PodResources about, most likely first. The kubelet
// has admitted them, they have not ended, and the spec of some container asks for as many percent
// as there are IDs. Pods with such a container of which `filled` says no come before the others;
// `first` (a UID, may be empty) before all.
using FilledTest = std::function<bool(std::string_view uid, std::string_view container)>;
std::vector<const NodePod*> Candidates(std::size_t ids, const PodsSnapshot& pods,
                                       const model::ResourceNames& names, const FilledTest& filled,
                                       std::string_view first);

// What PodResources says of a pod, seen for these IDs: its containers that may be about to start
// with them, as Match::containers. A container that is listed has exactly them. An ordinary init
// container is never listed: it may when it asks for as many percent as there are IDs and some of
// them are with a listed container, as those take over what init containers leave. Empty: not this
// pod.
std::vector<std::string> ContainersByListing(const std::vector<std::string>& ids,
                                             const NodePod& pod, const PodResourcesPod& listed,
                                             const model::ResourceNames& names);

}  // namespace aliquot::agent
