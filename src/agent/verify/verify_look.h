// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "agent/enforcement/process_look.h"
#include "agent/gpu/backend.h"
#include "agent/grant/decision.h"
#include "agent/grant/state_layout.h"
#include "agent/verify/verify_facts.h"
#include "base/status.h"

namespace aliquot::agent {

// What the look starts from.
struct VerifyInputs {
  std::string node;
  model::PodKey pod;
  std::string container;  // "" = all of the pod's
  LiveList grants;
  Machine machine;
  // Container IDs (64 hex digits) of the node's GPU pods: to pod UID and container name.
  std::map<std::string, std::pair<std::string, std::string>, std::less<>> containers;
  // The pods' records by UID, or why one can't be read.
  std::map<std::string, Result<model::Allocation>, std::less<>> allocations;
  std::uint64_t context_bytes = 0;
  // After so long no further process is looked at; the page says how many were not.
  std::chrono::milliseconds longest{10000};
};

// Looks at one pod: its grants' files, the driver's list, and each of its processes through /proc.
// NOT_FOUND, with one sentence, when the pod has no grant here or no such container. Blocks as long
// as the driver does, and longer where a container runs a file system of its own that does not
// answer: one look at a time. At most 2,000 processes, and none once `longest` is over: a pod can
// have very many, each with very many files mapped.
Result<VerifyFacts> LookAtPod(const VerifyInputs& inputs, const ProcessReader& reader,
                              const StateLayout& layout, GpuBackend& backend);

}  // namespace aliquot::agent
