// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "agent/gpu/backend.h"
#include "agent/gpu/nvml_session.h"
#include "base/status.h"

namespace aliquot::agent {

// One card's gauges. Memory in use is without what the driver keeps for itself where the driver
// tells the two apart (since branch 510), as nvidia-smi shows it. `last_sample` (microseconds, the
// driver's clock) is where the last reading of processes' utilisation ended; it is moved on. A
// process is one entry, however many of the driver's lists (compute, graphics, MPS) name it.
Result<CardFigures> ReadNvmlFigures(NvmlSession& session, nvml::Device device,
                                    unsigned long long& last_sample);

}  // namespace aliquot::agent
