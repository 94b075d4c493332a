// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tests/simgpu/cuda/driver.h"

// Functions of the host that a stream calls: on a thread of the driver's own, one after the other,
// each once the work before it on its stream is done. Whoever waits for the stream waits for them.

namespace aliquot::simgpu {

CUresult CallLater(const Entry& entry, CUstream stream, CUhostFn function, void* data);
CUresult CallbackLater(const Entry& entry, CUstream stream, CUstreamCallback callback, void* data,
                       CUstream handle);
// Waits, without the process's lock, until the stream's functions have returned.
void WaitForCalls(const Entry& entry, CUstream stream);

}  // namespace aliquot::simgpu
