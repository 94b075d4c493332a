// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace aliquot::simgpu {

// What the list of ALIQUOT_SIMGPU_FAULTS (tests/simgpu/README.md) has for this call of a function:
// an error to answer, or nothing. Counts the call. Pre: the process's lock.
std::optional<int> InjectedFault(const char* function, int card);

}  // namespace aliquot::simgpu
