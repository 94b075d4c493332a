// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "allocator/configuration.h"
#include "base/status.h"

namespace aliquot::allocator {

// The kubelet's exec probes: asks the running allocator's monitor, which only this machine can
// reach.

// Where that is: listen.monitor, or with port 0 the address in the addresses file.
Result<std::string> MonitorAddress(const Configuration& configuration);

// `probe` is "live" or "ready". OK when the monitor answers 200 in time, else one sentence with its
// reasons.
Status Probe(const std::string& monitor_address, std::string_view probe,
             std::chrono::milliseconds timeout);

}  // namespace aliquot::allocator
