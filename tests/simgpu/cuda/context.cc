// SPDX-License-Identifier: Apache-2.0
// Contexts: the device's primary one and others, and which is current on a thread.
#include <algorithm>

#include "tests/simgpu/cuda/capture.h"
#include "tests/simgpu/cuda/driver.h"
#include "tests/simgpu/cuda/memory.h"
#include "tests/simgpu/world/engine.h"

namespace aliquot::simgpu {

// The object itself stays, so that a handle used too late is met and not followed.
void DestroyContext(CUcontext context) {
  const Entry entry("", Needs::kNothing);
  Driver& driver = entry.driver();
  FreeAllOf(entry, context);
  driver.contexts.erase(context);
  for (auto module = driver.modules.begin(); module != driver.modules.end();) {
    module = (*module)->context == context ? driver.modules.erase(module) : std::next(module);
  }
  const WorldLock lock(*driver.world);
  WorldLayout& world = driver.world->layout();
  AdvanceCard(world, context->card, driver.world->Now());
  CloseQueue(world, context->queue);
  ProcessCard& use = world.process[driver.process].cards[context->card];
  use.context_bytes -=
      std::min(use.context_bytes, world.card[context->card].context_bytes + context->extra_bytes);
  --use.contexts;
}

namespace {

CUresult NewContext(const Entry& entry, CUcontext* context, unsigned flags, CUdevice device) {
  if (context == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (!entry.driver().Valid(device)) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  const CUresult answer = CreateContext(device, flags, false, context);
  if (answer == CUDA_SUCCESS) {
    ContextStack().push_back(*context);
  }
  return answer;
}

CUresult EndContext(const Entry& entry, CUcontext context) {
  if (entry.driver().contexts.count(context) == 0) {
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  if (context->primary) {
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  WaitForContext(entry, context);
  DestroyContext(context);
  if (CurrentContext() == context) {
    ContextStack().pop_back();
  }
  return CUDA_SUCCESS;
}

CUresult Release(const Entry& entry, CUdevice device, bool all) {
  Driver& driver = entry.driver();
  if (!driver.Valid(device)) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  if (driver.primary[device] == nullptr) {
    return all ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
  }
  driver.primary_users[device] -= all ? driver.primary_users[device] : 1;
  if (driver.primary_users[device] == 0) {
    CUcontext const context = driver.primary[device];
    WaitForContext(entry, context);
    driver.primary[device] = nullptr;
    DestroyContext(context);
  }
  return CUDA_SUCCESS;
}

}  // namespace
}  // namespace aliquot::simgpu

using namespace aliquot::simgpu;  // the driver's functions are in no namespace

CUresult cuCtxCreate(CUcontext* context, unsigned flags, CUdevice device) {
  SIM_ENTER(kDriver);
  return NewContext(entry, context, flags, device);
}

CUresult cuCtxCreate_v2(CUcontext* context, unsigned flags, CUdevice device) {
  SIM_ENTER(kDriver);
  return NewContext(entry, context, flags, device);
}

CUresult cuCtxCreate_v3(CUcontext* context, CUexecAffinityParam*, int, unsigned flags,
                        CUdevice device) {
  SIM_ENTER(kDriver);
  return NewContext(entry, context, flags, device);
}

CUresult cuCtxCreate_v4(CUcontext* context, CUctxCreateParams*, unsigned flags, CUdevice device) {
  SIM_ENTER(kDriver);
  return NewContext(entry, context, flags, device);
}

CUresult cuCtxDestroy(CUcontext context) {
  SIM_ENTER(kDriver);
  return EndContext(entry, context);
}

CUresult cuCtxDestroy_v2(CUcontext context) {
  SIM_ENTER(kDriver);
  return EndContext(entry, context);
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  SIM_ENTER(kDriver);
  aliquot::simgpu::Driver& driver = entry.driver();
  if (context == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (!driver.Valid(device)) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  if (driver.primary[device] == nullptr) {
    const CUresult answer = aliquot::simgpu::CreateContext(device, driver.primary_flags[device],
                                                           true, &driver.primary[device]);
    if (answer != CUDA_SUCCESS) {
      return answer;
    }
  }
  ++driver.primary_users[device];
  *context = driver.primary[device];
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  SIM_ENTER(kDriver);
  return Release(entry, device, false);
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  SIM_ENTER(kDriver);
  return Release(entry, device, false);
}

CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  SIM_ENTER(kDriver);
  return Release(entry, device, true);
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  SIM_ENTER(kDriver);
  return Release(entry, device, true);
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
  SIM_ENTER(kDriver);
  if (!entry.driver().Valid(device)) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  entry.driver().primary_flags[device] = flags;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
  return cuDevicePrimaryCtxSetFlags(device, flags);
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  SIM_ENTER(kDriver);
  if (!entry.driver().Valid(device)) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  if (flags == nullptr || active == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *flags = entry.driver().primary_flags[device];
  *active = entry.driver().primary[device] != nullptr ? 1 : 0;
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  SIM_ENTER(kDriver);
  if (entry.driver().contexts.count(context) == 0) {
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  ContextStack().push_back(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext context) { return cuCtxPushCurrent_v2(context); }

CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  SIM_ENTER(kDriver);
  if (ContextStack().empty()) {
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  if (context != nullptr) {
    *context = ContextStack().back();
  }
  ContextStack().pop_back();
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext* context) { return cuCtxPopCurrent_v2(context); }

CUresult cuCtxSetCurrent(CUcontext context) {
  SIM_ENTER(kDriver);
  if (context != nullptr && entry.driver().contexts.count(context) == 0) {
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  if (!ContextStack().empty()) {
    ContextStack().pop_back();
  }
  if (context != nullptr) {
    ContextStack().push_back(context);
  }
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  SIM_ENTER(kDriver);
  if (context == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *context = aliquot::simgpu::CurrentContext();
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice* device) {
  SIM_ENTER(kContext);
  if (device == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *device = entry.context()->device;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice_v2(CUdevice* device, CUcontext context) {
  SIM_ENTER(kDriver);
  CUcontext const asked = context == nullptr ? entry.context() : context;
  if (device == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (entry.driver().contexts.count(asked) == 0) {
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  *device = asked->device;
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void) {
  SIM_ENTER_UNSAFE();
  return WaitForContext(entry, entry.context());
}

CUresult cuCtxSynchronize_v2(CUcontext context) {
  SIM_ENTER(kDriver);
  CUcontext const asked = context == nullptr ? entry.context() : context;
  if (entry.driver().contexts.count(asked) == 0) {
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  return WaitForContext(entry, asked);
}
