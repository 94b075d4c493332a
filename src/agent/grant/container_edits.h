// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

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

}  // namespace aliquot::agent
