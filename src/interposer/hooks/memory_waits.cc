// SPDX-License-Identifier: Apache-2.0
// Waiting for a stream, an event or a context is when the driver gives unused memory of its pools
// back to the card. The container's other processes may have it then, so what this one is charged
// follows at once: it may not ask for memory again for a long time.
#include "interposer/memory_calls.h"

namespace aliquot::interposer {
namespace {

template <typename Driver>
CUresult Waited(Driver driver) {
  const HookScope scope;
  const CUresult result = driver();
  if (scope.outermost() && result == CUDA_SUCCESS && Enforced()) {
    SettleDefaultPools();
  }
  return result;
}

}  // namespace
}  // namespace aliquot::interposer

namespace ours = aliquot::interposer;

ALIQUOT_HOOK(CUresult, cuCtxSynchronize, ()) {
  return ours::Waited([] { return ALIQUOT_REAL(cuCtxSynchronize)(); });
}

ALIQUOT_HOOK(CUresult, cuCtxSynchronize_v2, (CUcontext context)) {
  return ours::Waited([&] { return ALIQUOT_REAL(cuCtxSynchronize_v2)(context); });
}

ALIQUOT_HOOK(CUresult, cuStreamSynchronize, (CUstream stream)) {
  return ours::Waited([&] { return ALIQUOT_REAL(cuStreamSynchronize)(stream); });
}

ALIQUOT_HOOK(CUresult, cuStreamSynchronize_ptsz, (CUstream stream)) {
  return ours::Waited([&] { return ALIQUOT_REAL(cuStreamSynchronize_ptsz)(stream); });
}

ALIQUOT_HOOK(CUresult, cuEventSynchronize, (CUevent event)) {
  return ours::Waited([&] { return ALIQUOT_REAL(cuEventSynchronize)(event); });
}
