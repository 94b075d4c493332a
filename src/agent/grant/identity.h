// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/pod.h"

namespace aliquot::agent {

// The container that the kubelet is about to start, found by src/agent/identity, judged by
// src/agent/grant. Plain values.
struct ContainerIdentity {
  model::PodKey key;
  std::string uid;
  std::string container;
  model::ContainerKind kind = model::ContainerKind::kApp;
  // In spec.containers for kApp, in spec.initContainers otherwise: an ordinary init container's
  // grant ends when a container that comes after it starts.
  int index = 0;
  // What its spec asks for; 0 = not known (the pod was recalled from disk, the API server away).
  int core = 0;                   // percent, all cards together
  std::int64_t memory_units = 0;  // vcuda-memory as written; not used for whole cards
  bool whole = false;
  bool deleting = false;
  // The values of aliquot.io/allocation and aliquot.io/allocation-signature, "" = none.
  std::string allocation;
  std::string signature;
  // Known from the grant that was written for it before, not from the API server.
  bool recalled = false;
};

}  // namespace aliquot::agent
