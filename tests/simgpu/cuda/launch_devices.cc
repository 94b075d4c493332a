// SPDX-License-Identifier: Apache-2.0
// One kernel on several cards at once: gone from the headers since CUDA 13, and still exported by
// the drivers of CUDA 12.
#include "tests/simgpu/cuda/launch.h"

using namespace aliquot::simgpu;  // the driver's functions are in no namespace

extern "C" __attribute__((visibility("default"))) CUresult cuLaunchCooperativeKernelMultiDevice(
    CUDA_LAUNCH_PARAMS* launches, unsigned count, unsigned) {
  SIM_ENTER(kContext);
  if (launches == nullptr || count == 0 || count > entry.driver().devices.size()) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  for (unsigned i = 0; i < count; ++i) {
    // Every launch names a stream of its own card.
    CUstream const stream = StreamOf(entry, launches[i].hStream);
    if (stream == nullptr || stream == stream->context->null_stream) {
      return CUDA_ERROR_INVALID_HANDLE;
    }
  }
  for (unsigned i = 0; i < count; ++i) {
    const CUDA_LAUNCH_PARAMS& each = launches[i];
    KernelWork work{each.function,
                    {each.gridDimX, each.gridDimY, each.gridDimZ},
                    {each.blockDimX, each.blockDimY, each.blockDimZ},
                    each.sharedMemBytes,
                    0,
                    {},
                    {}};
    const CUresult answer = LaunchOn(entry, work, each.kernelParams, nullptr, each.hStream, false);
    if (answer != CUDA_SUCCESS) {
      return answer;
    }
  }
  return CUDA_SUCCESS;
}
