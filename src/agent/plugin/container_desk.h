// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "agent/grant/container_edits.h"
#include "base/status.h"

namespace aliquot::agent {

// Answers the kubelet's two questions about a container. Thread-safe: the kubelet may ask for
// several containers at once.
class ContainerDesk {
 public:
  virtual ~ContainerDesk() = default;

  // A pure function of the IDs: names the grant and gives nothing.
  virtual Result<ContainerEdits> Allocate(const std::vector<std::string>& device_ids) = 0;
  // Fills the grant. An error keeps the container from starting; its sentence reaches the pod's
  // status.
  virtual Status PreStart(const std::vector<std::string>& device_ids) = 0;
};

// One device as it is advertised.
struct AdvertisedDevice {
  std::string id;
  bool healthy = true;

  friend bool operator==(const AdvertisedDevice& a, const AdvertisedDevice& b) {
    return a.id == b.id && a.healthy == b.healthy;
  }
};

}  // namespace aliquot::agent
