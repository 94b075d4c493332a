// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/nvml_device_nodes.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

namespace aliquot::agent {
namespace {

struct ControlName {
  const char* name;
  bool needed;
};

constexpr ControlName kControlNames[] = {
    {"nvidiactl", true},
    {"nvidia-uvm", true},
    {"nvidia-uvm-tools", false},
    {"nvidia-modeset", false},
};

std::optional<DeviceNode> FindNode(const std::string& root, const DeviceStatFunction& stat,
                                   const std::string& name) {
  const std::optional<DeviceStat> found = stat(root + "/" + name);
  if (!found) {
    return std::nullopt;
  }
  return DeviceNode{name, found->major, found->minor, found->mode, found->uid, found->gid};
}

}  // namespace

std::optional<DeviceStat> StatDevice(const std::string& path) {
  struct stat found = {};
  // No link is followed: what is given on must be the node itself.
  if (lstat(path.c_str(), &found) != 0 || !S_ISCHR(found.st_mode)) {
    return std::nullopt;
  }
  return DeviceStat{major(found.st_rdev), minor(found.st_rdev), found.st_mode & 07777U,
                    found.st_uid, found.st_gid};
}

std::optional<DeviceNode> FindCardNode(const std::string& root, const DeviceStatFunction& stat,
                                       int minor) {
  return FindNode(root, stat, "nvidia" + std::to_string(minor));
}

ControlNodes FindControlNodes(const std::string& root, const DeviceStatFunction& stat) {
  ControlNodes found;
  for (const ControlName& each : kControlNames) {
    if (std::optional<DeviceNode> node = FindNode(root, stat, each.name)) {
      found.nodes.push_back(std::move(*node));
    } else if (each.needed) {
      found.missing.emplace_back(each.name);
    }
  }
  return found;
}

}  // namespace aliquot::agent
