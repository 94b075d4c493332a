// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "agent/gpu/backend.h"
#include "agent/gpu/nvml_session.h"
#include "base/status.h"

namespace aliquot::agent {

// Who is on a card, by NVML's lists of compute, graphics and MPS processes: each process once, with
// its device memory in bytes (nothing: the driver does not say). What cannot be read is empty.
std::map<pid_t, std::optional<std::uint64_t>> ReadNvmlProcesses(const nvml::Functions& functions,
                                                                nvml::Device device);

// The driver's samples of processes after `since` (microseconds, the driver's clock), oldest first.
struct NvmlSamples {
  std::vector<CardWork::Sample> samples;
  bool told = false;  // false: the driver tells none
};
NvmlSamples ReadNvmlSamples(const nvml::Functions& functions, nvml::Device device,
                            unsigned long long since);

// Both. An error only where the driver fails; a list that it lacks is empty.
Result<CardWork> ReadNvmlWork(NvmlSession& session, nvml::Device device, std::uint64_t since_us);

}  // namespace aliquot::agent
