// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "model/pod.h"

namespace aliquot::agent {

// What the kubelet's PodResources service (package v1, PodResourcesLister) says of a pod. It gives
// no UID and leaves ordinary init containers out. Source:
// kubernetes.io/docs/concepts/extend-kubernetes/compute-storage-net/device-plugins, "Monitoring
// device plugin resources".
struct PodResourcesContainer {
  std::string name;
  // IDs of our core resource, gathered from all of the container's entries (the kubelet sends one
  // entry for each ID), in any order.
  std::vector<std::string> device_ids;
};

struct PodResourcesPod {
  model::PodKey key;
  std::vector<PodResourcesContainer> containers;
};

// Asks the kubelet. Blocking, thread-safe. Not to be called from inside Allocate: the allocation is
// not committed there, and List is what sets off a double allocation known of the kubelet. Errors:
// kUnimplemented where the kubelet has no Get or has it switched off ("PodResources API Get method
// disabled"), kNotFound, kDeadlineExceeded, kResourceExhausted (100 calls a second, 10 at once, all
// clients together), else kUnavailable.
class PodResources {
 public:
  virtual ~PodResources() = default;

  virtual Result<PodResourcesPod> Get(const model::PodKey& key, SteadyTime deadline) = 0;
  // Only where there is no Get.
  virtual Result<std::vector<PodResourcesPod>> List(SteadyTime deadline) = 0;
};

}  // namespace aliquot::agent
