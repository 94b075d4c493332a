// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/grant/container_edits.h"
#include "agent/grant/driver_delivery.h"

namespace aliquot::agent {

// How the card's nodes reach the container (docs/reference/grant.md).
enum class GrantMode {
  kDevdir,  // a directory of device nodes, given as one device with container path /dev
  kCdi,     // a CDI specification
};

// Where a container finds what it was given. The kubelet's checkpoint keeps these: an ABI.
inline constexpr std::string_view kLimitsInContainer = "/run/aliquot/limits";
inline constexpr std::string_view kUsageInContainer = "/run/aliquot/usage";
inline constexpr std::string_view kDriverInContainer = "/usr/local/nvidia";
inline constexpr std::string_view kLibraryInContainer = "/usr/local/aliquot";
inline constexpr std::string_view kPreloadInContainer = "/etc/ld.so.preload";

inline constexpr std::string_view kCdiKind = "aliquot.io/grant";

struct EditOptions {
  GrantMode mode = GrantMode::kDevdir;
  std::string state_directory = "/run/aliquot";
  DriverDelivery::Way driver = DriverDelivery::Way::kMirror;
  bool library = false;  // an enforcement library is configured
};

// The mounts of a grant of that name, the same in both modes: limits, usage, and by the options
// driver libraries, enforcement library and ld.so.preload.
std::vector<ContainerEdits::Mount> GrantMounts(const std::string& name, const EditOptions& options);

// The answer to Allocate: a function of the device IDs and the configuration, which names the grant
// of these IDs and gives nothing. Pure.
ContainerEdits ContainerEditsFor(const std::vector<std::string>& device_ids,
                                 const EditOptions& options);

}  // namespace aliquot::agent
