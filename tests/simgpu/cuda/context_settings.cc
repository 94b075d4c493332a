// SPDX-License-Identifier: Apache-2.0
// What a context is set to, and which others it may reach.
#include "tests/simgpu/cuda/driver.h"

using namespace aliquot::simgpu;  // the driver's functions are in no namespace

namespace {

// Of a device's malloc heap, its printf buffer and its threads' stacks: a larger one costs memory.
std::size_t FirstLimit(CUlimit limit) {
  switch (limit) {
    case CU_LIMIT_STACK_SIZE:
      return 1024;
    case CU_LIMIT_PRINTF_FIFO_SIZE:
      return 7 << 20;
    case CU_LIMIT_MALLOC_HEAP_SIZE:
      return 8 << 20;
    case CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH:
      return 2;
    case CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT:
      return 2048;
    case CU_LIMIT_MAX_L2_FETCH_GRANULARITY:
      return 64;
    default:
      return 0;
  }
}

std::size_t& LimitOf(CUcontext context, CUlimit limit) {
  return context->limits.emplace(limit, FirstLimit(limit)).first->second;
}

CUresult SetLimit(const Entry& entry, CUlimit limit, std::size_t value) {
  if (limit >= CU_LIMIT_MAX) {
    return CUDA_ERROR_UNSUPPORTED_LIMIT;
  }
  std::size_t& now = LimitOf(entry.context(), limit);
  if ((limit == CU_LIMIT_MALLOC_HEAP_SIZE || limit == CU_LIMIT_PRINTF_FIFO_SIZE) && value > now) {
    const WorldLock lock(entry.world());
    WorldLayout& world = entry.world().layout();
    if (MemoryFree(world, entry.card()) < value - now) {
      return CUDA_ERROR_OUT_OF_MEMORY;
    }
    world.process[entry.driver().process].cards[entry.card()].context_bytes += value - now;
    entry.context()->extra_bytes += value - now;
  }
  now = value;
  return CUDA_SUCCESS;
}

}  // namespace

CUresult cuCtxGetLimit(std::size_t* value, CUlimit limit) {
  SIM_ENTER(kContext);
  if (value == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (limit >= CU_LIMIT_MAX) {
    return CUDA_ERROR_UNSUPPORTED_LIMIT;
  }
  *value = LimitOf(entry.context(), limit);
  return CUDA_SUCCESS;
}

CUresult cuCtxSetLimit(CUlimit limit, std::size_t value) {
  SIM_ENTER(kContext);
  return SetLimit(entry, limit, value);
}

CUresult cuCtxGetFlags(unsigned* flags) {
  SIM_ENTER(kContext);
  if (flags == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *flags = entry.context()->flags;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetFlags(unsigned flags) {
  SIM_ENTER(kContext);
  entry.context()->flags = flags;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetId(CUcontext context, unsigned long long* id) {
  SIM_ENTER(kDriver);
  CUcontext const asked = context == nullptr ? entry.context() : context;
  if (entry.driver().contexts.count(asked) == 0) {
    return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  }
  if (id == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *id = asked->id;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned* version) {
  SIM_ENTER(kDriver);
  CUcontext const asked = context == nullptr ? entry.context() : context;
  if (entry.driver().contexts.count(asked) == 0) {
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  if (version == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *version = 3020;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCacheConfig(CUfunc_cache* config) {
  SIM_ENTER(kContext);
  if (config == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *config = CU_FUNC_CACHE_PREFER_NONE;
  return CUDA_SUCCESS;
}

// A preference, which a driver may follow or not.
CUresult cuCtxSetCacheConfig(CUfunc_cache) {
  SIM_ENTER(kContext);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig* config) {
  SIM_ENTER(kContext);
  if (config == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig) {
  SIM_ENTER(kContext);
  return CUDA_SUCCESS;
}

CUresult cuCtxResetPersistingL2Cache(void) {
  SIM_ENTER(kContext);
  return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  SIM_ENTER(kDriver);
  if (can == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (!entry.driver().Valid(device) || !entry.driver().Valid(peer)) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  *can = device != peer ? 1 : 0;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attribute, CUdevice from,
                                 CUdevice to) {
  SIM_ENTER(kDriver);
  if (value == nullptr || !entry.driver().Valid(from) || !entry.driver().Valid(to) || from == to) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *value = attribute == CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK ? 0 : 1;
  return CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  SIM_ENTER(kContext);
  if (flags != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (entry.driver().contexts.count(peer) == 0 || peer->device == entry.context()->device) {
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  return entry.context()->peers.insert(peer).second ? CUDA_SUCCESS
                                                    : CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
}

CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  SIM_ENTER(kContext);
  return entry.context()->peers.erase(peer) != 0 ? CUDA_SUCCESS
                                                 : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}
