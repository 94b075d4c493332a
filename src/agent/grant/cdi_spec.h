// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "agent/grant/allocate_answer.h"
#include "agent/grant/grant_plan.h"

namespace aliquot::agent {

// The file of a grant below the CDI directory: "aliquot.io-grant_<name>.json".
std::string CdiSpecFile(const std::string& name);
// The grant whose file that is, or "" for a file that is not ours.
std::string GrantOfCdiSpecFile(const std::string& file);

// The CDI specification of one grant, version 0.6.0: device nodes under the host's names and
// numbers, mounts, environment, and with `driver.delivery: cdi` NVIDIA's own edits for all devices.
// Format: https://github.com/cncf-tags/container-device-interface, SPEC.md. Pure.
std::string FormatCdiSpec(const GrantPlan& plan, const EditOptions& options);

}  // namespace aliquot::agent
