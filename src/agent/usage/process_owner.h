// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

namespace aliquot::agent {

// Which container a process of this node belongs to, by its control group.
struct ProcessOwner {
  std::string pod_uid;
  std::string container_id;  // 64 hex digits; "" when the group is the pod's own
};

// Reads the text of /proc/<pid>/cgroup (cgroups(7)): any hierarchy, version 1 or 2, the cgroupfs or
// the systemd driver ("pod1f0e_.._9.slice/cri-containerd-<id>.scope"), nested below any root. Pure.
std::optional<ProcessOwner> ParseCgroup(std::string_view text);

// Reads it for a process; nothing when it is gone, is no pod's, or lies in another process
// namespace. `proc` is where the host's /proc is seen.
std::optional<ProcessOwner> OwnerOf(pid_t pid, const std::string& proc = "/proc");

}  // namespace aliquot::agent
