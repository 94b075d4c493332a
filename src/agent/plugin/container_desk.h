// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/status.h"

namespace aliquot::agent {

// What a container is to get, as the kubelet keeps it in its checkpoint.
struct ContainerEdits {
  struct Mount {
    std::string container_path;
    std::string host_path;
    bool read_only = true;
  };
  struct Device {
    std::string container_path;
    std::string host_path;
    std::string permissions;
  };

  std::map<std::string, std::string> environment;
  std::vector<Mount> mounts;
  std::vector<Device> devices;
  std::vector<std::string> cdi_devices;  // "aliquot.io/grant=<name>"
};

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
