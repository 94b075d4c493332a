// SPDX-License-Identifier: Apache-2.0

// One kernel on several devices at once (CUDA 9 to 12). Each device's share is asked in turn, in
// the context of its stream; the driver demands a stream of its own for every one of them.

#include <cstddef>
#include <cstdint>
#include <new>

#include "interposer/cuda_launch_types.h"
#include "interposer/hook.h"
#include "interposer/launch_pacer.h"

ALIQUOT_DRIVER_FUNCTION(CUresult, cuCtxPushCurrent_v2, (CUcontext context));
ALIQUOT_DRIVER_FUNCTION(CUresult, cuCtxPopCurrent_v2, (CUcontext * context));
ALIQUOT_DRIVER_FUNCTION(CUresult, cuStreamGetCtx, (CUstream stream, CUcontext* context));

namespace aliquot::interposer {
namespace {

constexpr unsigned int kMostDevices = 16;

// The context of a stream is the thread's while this lives.
class StreamsContext {
 public:
  explicit StreamsContext(CUstream stream) {
    CUcontext context = nullptr;
    pushed_ = ALIQUOT_REAL(cuStreamGetCtx)(stream, &context) == CUDA_SUCCESS &&
              ALIQUOT_REAL(cuCtxPushCurrent_v2)(context) == CUDA_SUCCESS;
  }
  ~StreamsContext() {
    if (pushed_) {
      CUcontext popped = nullptr;
      ALIQUOT_REAL(cuCtxPopCurrent_v2)(&popped);
    }
  }
  StreamsContext(const StreamsContext&) = delete;
  StreamsContext& operator=(const StreamsContext&) = delete;

  bool pushed() const { return pushed_; }

 private:
  bool pushed_ = false;
};

// Its launches, one a device, begun in order and ended in order.
class LaunchOnDevices {
 public:
  LaunchOnDevices(const CUDA_LAUNCH_PARAMS* launches, unsigned int count)
      : launches_(launches),
        count_(launches == nullptr    ? 0
               : count < kMostDevices ? count
                                      : kMostDevices) {
    for (unsigned int i = 0; i < count_; ++i) {
      const CUDA_LAUNCH_PARAMS& launch = launches_[i];
      const StreamsContext context(launch.hStream);
      const LaunchShape shape{context.pushed() ? launch.function : nullptr,
                              {launch.gridDimX | std::uint64_t{launch.gridDimY} << 32,
                               launch.gridDimZ | std::uint64_t{launch.blockDimX} << 32,
                               launch.blockDimY | std::uint64_t{launch.blockDimZ} << 32},
                              launch.hStream,
                              false};
      new (&paced_[i]) PacedLaunch(shape);
    }
  }
  void End(CUresult result) {
    for (unsigned int i = 0; i < count_; ++i) {
      const StreamsContext context(launches_[i].hStream);
      reinterpret_cast<PacedLaunch*>(&paced_[i])->End(result);
    }
  }

 private:
  struct alignas(PacedLaunch) Room {
    unsigned char bytes[sizeof(PacedLaunch)];
  };
  const CUDA_LAUNCH_PARAMS* const launches_;
  const unsigned int count_;
  Room paced_[kMostDevices];
};

}  // namespace
}  // namespace aliquot::interposer

ALIQUOT_HOOK(CUresult, cuLaunchCooperativeKernelMultiDevice,
             (CUDA_LAUNCH_PARAMS * launches, unsigned int count, unsigned int flags)) {
  const aliquot::interposer::HookScope scope;
  if (!scope.outermost()) {
    return ALIQUOT_REAL(cuLaunchCooperativeKernelMultiDevice)(launches, count, flags);
  }
  aliquot::interposer::LaunchOnDevices paced(launches, count);
  const CUresult result =
      ALIQUOT_REAL(cuLaunchCooperativeKernelMultiDevice)(launches, count, flags);
  paced.End(result);
  return result;
}
