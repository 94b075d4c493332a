// SPDX-License-Identifier: Apache-2.0
// Captures and graphs.
#include "tests/simgpu/cuda/capture.h"
#include "tests/simgpu/cuda/library.h"
namespace aliquot::simgpu {
CUresult CaptureKernel(CUstream, const KernelWork&) { return CUDA_ERROR_NOT_SUPPORTED; }
CUresult CaptureEvent(CUstream, CUevent) { return CUDA_ERROR_NOT_SUPPORTED; }
CUresult CaptureWait(CUstream, CUevent) { return CUDA_ERROR_NOT_SUPPORTED; }
CUresult InvalidateCapture(CUstream, CUresult answer) { return answer; }
void PoolsSynchronized(const Entry&, CUcontext) {}
CUfunction FunctionOfLibraryKernel(const Entry&, CUfunction) { return nullptr; }
}  // namespace aliquot::simgpu
