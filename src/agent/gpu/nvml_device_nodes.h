// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/gpu/machine.h"

namespace aliquot::agent {

// What stat says of a file that is a character device.
struct DeviceStat {
  unsigned major = 0;
  unsigned minor = 0;
  mode_t mode = 0;  // permission bits
  uid_t uid = 0;
  gid_t gid = 0;
};

// Nothing for a path that is not there or is no character device.
using DeviceStatFunction = std::function<std::optional<DeviceStat>(const std::string& path)>;
std::optional<DeviceStat> StatDevice(const std::string& path);

// The device node of a card, "nvidia3" below `root` ("/dev").
std::optional<DeviceNode> FindCardNode(const std::string& root, const DeviceStatFunction& stat,
                                       int minor);

struct ControlNodes {
  std::vector<DeviceNode> nodes;
  std::vector<std::string> missing;  // needed ones that the host lacks; no CUDA program runs so
};

// What every container with a card needs besides: nvidiactl and nvidia-uvm; and where the host has
// them nvidia-uvm-tools (profilers) and nvidia-modeset (Vulkan and EGL off screen).
//
// Never given: nvidia-caps/* and nvidia-caps-imex-channels/*, for they are capabilities: cap1 is
// the right to reconfigure MIG, cap2 to watch all of its instances, an IMEX channel is a door to
// other nodes' memory. Nor nvidia-nvswitch* and nvidia-nvlink, with which the fabric itself is
// managed.
ControlNodes FindControlNodes(const std::string& root, const DeviceStatFunction& stat);

}  // namespace aliquot::agent
