// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace aliquot::agent {

// What NVIDIA's own CDI specification (written by `nvidia-ctk cdi generate`) does to every
// container, whichever card it gets: its libraries, hooks and environment. Device nodes are left
// out, as a grant makes its own. Format: https://github.com/cncf-tags/container-device-interface,
// SPEC.md.
struct VendorEdits {
  struct Mount {
    std::string host_path;
    std::string container_path;
    std::vector<std::string> options;
  };
  struct Hook {
    std::string name;  // "createContainer", ..
    std::string path;
    std::vector<std::string> arguments;
    std::vector<std::string> environment;
  };

  // NVIDIA's toolkit holds the container's control group to an amount of memory of one card
  // by a hook that names the card as its `--gpu-id`.
  struct MemoryLimitHook {
    std::string uuid;
    Hook hook;
  };

  std::string file;                      // where it was read
  std::vector<std::string> environment;  // "NAME=value"
  std::vector<Mount> mounts;
  std::vector<Hook> hooks;
  std::vector<MemoryLimitHook> memory_limits;  // of its devices; each card once
};

// The toolkit's word for that hook.
inline constexpr std::string_view kMemoryLimitsHook = "apply-cuda-memory-limits";

// No specification is longer.
inline constexpr std::size_t kMaxVendorSpecBytes = 4 << 20;

// The edits for all devices of a specification of kind nvidia.com/gpu; NOT_FOUND for one of another
// kind. `file` decides between JSON (.json) and YAML, and begins the sentences. Pure.
Result<VendorEdits> ParseVendorSpec(std::string_view text, const std::string& file);

// Reads the *.json, *.yaml and *.yml of the directories, later directories winning as in the CDI
// rules, and within one the last file name. Errors: one sentence with the remedy.
Result<VendorEdits> FindVendorSpec(const std::vector<std::string>& directories);

}  // namespace aliquot::agent
