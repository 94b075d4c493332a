// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace aliquot::agent {

// What the kubelet's device manager keeps of its allocations, kubelet_internal_checkpoint: it is
// written after each container's Allocate and before that container's PreStartContainer, and is the
// only place on the node that names a pod's UID beside device IDs. We only read it. Source:
// k8s.io/kubernetes/pkg/kubelet/cm/devicemanager/checkpoint.

// One container's devices of one resource.
struct CheckpointEntry {
  std::string uid;  // the pod's
  std::string container;
  std::vector<std::string> ids;  // sorted, each once
};

// Entries of dead pods stay in it until the next allocation on the node. Their order means nothing:
// the kubelet writes them as a Go map gives them.
struct Checkpoint {
  std::vector<CheckpointEntry> entries;  // of one resource

  // Those with exactly these IDs. Pre: `ids` are sorted, each once.
  std::vector<const CheckpointEntry*> WithIds(const std::vector<std::string>& ids) const;
};

inline constexpr std::size_t kMaxCheckpointBytes = std::size_t{64} << 20;

// Pure and thread-safe. Reads {"Data":{"PodDeviceEntries":[..]},"Checksum":..} with DeviceIDs by
// NUMA node (kubelet 1.20 and later) or as one list (before), and the entries at the top (before
// 1.11); unknown fields are ignored. Entries of other resources are passed over unread. The error
// is one sentence without a subject: "is not JSON, ...". The checksum is not verified: it is over
// Go's own printing of Go's own structures, and the file replaces the old one in one step.
Result<Checkpoint> ParseCheckpoint(std::string_view json, std::string_view resource);

}  // namespace aliquot::agent
