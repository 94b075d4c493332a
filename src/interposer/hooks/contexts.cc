// SPDX-License-Identifier: Apache-2.0

// Contexts that end take with them the events that their launches were timed with, and the memory
// that was allocated in them.

#include "interposer/cards.h"
#include "interposer/container.h"
#include "interposer/context_memory.h"
#include "interposer/cuda_types.h"
#include "interposer/hook.h"
#include "interposer/launch_events.h"

namespace aliquot::interposer {
namespace {

template <typename Call>
CUresult EndingContext(CUcontext context, Call call) {
  const HookScope scope;
  if (!scope.outermost() || !Enforced()) {
    return call();
  }
  ForgetContext(context);
  ContextMemoryEnd memory(context);
  const CUresult result = call();
  memory.Ended(result == CUDA_SUCCESS);
  ForgetContextPlaces();
  return result;
}

// `reset`: it ends now, whoever else uses it; otherwise with its last user.
template <typename Call>
CUresult EndingPrimary(CUdevice device, bool reset, Call call) {
  const HookScope scope;
  if (!scope.outermost() || !Enforced()) {
    return call();
  }
  if (reset) {
    ForgetDevice(device);
  }
  ContextMemoryEnd memory(PrimaryContextOf(device));
  const CUresult result = call();
  const bool ended = result == CUDA_SUCCESS && (reset || !PrimaryContextIsActive(device));
  memory.Ended(ended);
  if (ended) {
    ForgetDevice(device);
    ForgetContextPlaces();
  }
  return result;
}

}  // namespace
}  // namespace aliquot::interposer

using aliquot::interposer::EndingContext;
using aliquot::interposer::EndingPrimary;

ALIQUOT_HOOK(CUresult, cuCtxDestroy, (CUcontext context)) {
  return EndingContext(context, [&] { return ALIQUOT_REAL(cuCtxDestroy)(context); });
}

ALIQUOT_HOOK(CUresult, cuCtxDestroy_v2, (CUcontext context)) {
  return EndingContext(context, [&] { return ALIQUOT_REAL(cuCtxDestroy_v2)(context); });
}

ALIQUOT_HOOK(CUresult, cuDevicePrimaryCtxRelease, (CUdevice device)) {
  return EndingPrimary(device, false,
                       [&] { return ALIQUOT_REAL(cuDevicePrimaryCtxRelease)(device); });
}

ALIQUOT_HOOK(CUresult, cuDevicePrimaryCtxRelease_v2, (CUdevice device)) {
  return EndingPrimary(device, false,
                       [&] { return ALIQUOT_REAL(cuDevicePrimaryCtxRelease_v2)(device); });
}

ALIQUOT_HOOK(CUresult, cuDevicePrimaryCtxReset, (CUdevice device)) {
  return EndingPrimary(device, true, [&] { return ALIQUOT_REAL(cuDevicePrimaryCtxReset)(device); });
}

ALIQUOT_HOOK(CUresult, cuDevicePrimaryCtxReset_v2, (CUdevice device)) {
  return EndingPrimary(device, true,
                       [&] { return ALIQUOT_REAL(cuDevicePrimaryCtxReset_v2)(device); });
}
