// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "model/host.h"
#include "model/pod.h"

namespace aliquot::model {

// What kube-scheduler counts for a pod on a node, container by container in spec order, init
// containers first: the peak over its life. An ordinary init container runs alone beside the
// sidecars started before it; at the end sidecars and app containers run together. Source:
// resource.PodRequests of k8s.io/component-helpers. Plain value.
class HostPeak {
 public:
  void Add(ContainerKind kind, const HostAmount& asked) {
    HostAmount now = steady_;
    now += asked;
    if (kind != ContainerKind::kInit) {
      steady_ = now;
    }
    peak_.cpu_milli = std::max(peak_.cpu_milli, now.cpu_milli);
    peak_.memory_mib = std::max(peak_.memory_mib, now.memory_mib);
  }
  HostAmount total() const { return peak_; }

 private:
  HostAmount steady_;
  HostAmount peak_;
};

}  // namespace aliquot::model
