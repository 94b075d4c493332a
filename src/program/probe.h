// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/status.h"

namespace aliquot::program {

// The kubelet's exec probes: asks the monitor of a running program, which only this machine can
// reach. Thread-safe; errors are one sentence.

// Where that is: what `listen.monitor` says, or with port 0 the address "monitor" in the addresses
// file.
Result<std::string> MonitorAddress(const std::string& listen_monitor,
                                   const std::string& addresses_file);

// `what` is "live" (GET /healthz) or "ready" (GET /readyz). OK when the monitor answers 200 in
// time, else its reasons.
Status Probe(const std::string& monitor_address, std::string_view what,
             std::chrono::milliseconds timeout);

}  // namespace aliquot::program
