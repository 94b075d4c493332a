// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/gpu/machine.h"
#include "agent/grant/driver_delivery.h"
#include "agent/grant/grant_record.h"

namespace aliquot::agent {

// The driver's own limits of memory for a control group (driver R615 and later, control groups of
// version 2): NVIDIA's toolkit sets them by a hook in its CDI specification, from this variable in
// whole MiB. Source: nvidia-container-toolkit, the hook apply-cuda-memory-limits. Checked against
// that contract only; never run on such a driver.
inline constexpr std::string_view kMemoryLimitVariable = "NVIDIA_GPU_MEMORY_LIMIT";

// Why they can't be had for these cards, a clause without a subject ("needs ..; .."); "" = they
// can. Pure.
std::string DriverLimitsProblem(const std::vector<GrantedCard>& cards, const Machine& machine,
                                const DriverDelivery& driver, bool cgroup_v2);

// Whether the node's control groups are of version 2 at `root`. Asks the kernel.
bool HasCgroupV2(const std::string& root = "/sys/fs/cgroup");

}  // namespace aliquot::agent
