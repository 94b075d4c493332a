// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "agent/gpu/backend.h"
#include "agent/gpu/nvml_session.h"
#include "base/status.h"

namespace aliquot::agent {

// One card's health by the driver's books: still there, rows waiting to be remapped or pages to be
// retired, a remap that failed. What the card does not support counts as well. An error: NVML as a
// whole is gone (UNAVAILABLE).
Result<CardCheck> CheckNvmlCard(NvmlSession& session, nvml::Device device, const std::string& uuid);

}  // namespace aliquot::agent
