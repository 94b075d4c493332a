// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/simgpu/cuda/driver.h"
#include "tests/simgpu/cuda/launch.h"

// What calls on a capturing stream become: nodes of a graph.

namespace aliquot::simgpu {

// Pre for all: the stream captures (for CaptureWait: the stream or the event does).
CUresult CaptureKernel(CUstream stream, const KernelWork& work);
CUresult CaptureEvent(CUstream stream, CUevent event);
CUresult CaptureWait(CUstream stream, CUevent event);
// What a capture cannot hold makes it invalid; `answer` is handed back.
CUresult InvalidateCapture(CUstream stream, CUresult answer);

}  // namespace aliquot::simgpu
