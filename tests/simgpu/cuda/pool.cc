// SPDX-License-Identifier: Apache-2.0
#include "tests/simgpu/cuda/pool.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <unordered_set>
#include <vector>

#include "tests/simgpu/cuda/shared_block.h"

namespace aliquot::simgpu {
namespace {

constexpr std::uint64_t kPiece = 32ULL << 20;

std::unordered_set<CUmemoryPool>& Pools() {
  static auto* const pools = new std::unordered_set<CUmemoryPool>;
  return *pools;
}

std::map<CUdevice, CUmemoryPool>& DefaultPools() {
  static auto* const pools = new std::map<CUdevice, CUmemoryPool>;
  return *pools;
}

std::map<CUdevice, CUmemoryPool>& CurrentPools() {
  static auto* const pools = new std::map<CUdevice, CUmemoryPool>;
  return *pools;
}

// Room for so many bytes more.
bool Grow(const Entry& entry, CUmemoryPool pool, std::uint64_t bytes) {
  if (pool->used + bytes <= pool->reserved) {
    return true;
  }
  const std::uint64_t more = RoundUp(pool->used + bytes - pool->reserved, kPiece);
  const std::uint64_t most = pool->properties.maxSize;
  if ((most != 0 && pool->reserved + more > RoundUp(most, kPiece)) ||
      !entry.driver().TakeMemory(pool->card, more)) {
    return false;
  }
  pool->reserved += more;
  pool->reserved_high = std::max(pool->reserved_high, pool->reserved);
  return true;
}

// The pages of a pool that can be shared are those of its file.
bool PlaceInFile(CUmemPoolHandle_st& pool, Range& range) {
  if (pool.file < 0) {
    return true;
  }
  range.offset = pool.file_bytes;
  pool.file_bytes += range.reserved;
  return ftruncate(pool.file, static_cast<off_t>(pool.file_bytes)) == 0 &&
         mmap(reinterpret_cast<void*>(range.base), range.reserved, PROT_READ | PROT_WRITE,
              MAP_SHARED | MAP_FIXED, pool.file, static_cast<off_t>(range.offset)) != MAP_FAILED;
}

CUresult Create(const Entry& entry, CUmemoryPool* pool, const CUmemPoolProps* properties) {
  if (pool == nullptr || properties == nullptr ||
      properties->allocType != CU_MEM_ALLOCATION_TYPE_PINNED) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE) {
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  if (!entry.driver().Valid(properties->location.id)) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  *pool = NewPool(entry, *properties);
  if (properties->handleTypes != CU_MEM_HANDLE_TYPE_NONE) {
    (*pool)->file = AnonymousFile(0);
  }
  return CUDA_SUCCESS;
}

CUresult SetNumber(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
      pool->reuse[attribute - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES] =
          *static_cast<int*>(value);
      return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      pool->threshold = *static_cast<cuuint64_t*>(value);
      return CUDA_SUCCESS;
    // A high-water mark can be set back only.
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH: {
      if (*static_cast<cuuint64_t*>(value) != 0) {
        return CUDA_ERROR_INVALID_VALUE;
      }
      const bool reserved = attribute == CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH;
      (reserved ? pool->reserved_high : pool->used_high) = reserved ? pool->reserved : pool->used;
      return CUDA_SUCCESS;
    }
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult GetNumber(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  auto* const number = static_cast<cuuint64_t*>(value);
  switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
      *static_cast<int*>(value) =
          pool->reuse[attribute - CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES];
      return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      *number = pool->threshold;
      return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
      *number = pool->reserved;
      return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      *number = pool->reserved_high;
      return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
      *number = pool->used;
      return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      *number = pool->used_high;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

// The device that a location names, or -1.
CUdevice DeviceOf(const Entry& entry, const CUmemLocation* location, CUmemAllocationType type) {
  const bool device = location != nullptr && location->type == CU_MEM_LOCATION_TYPE_DEVICE &&
                      type == CU_MEM_ALLOCATION_TYPE_PINNED && entry.driver().Valid(location->id);
  return device ? location->id : -1;
}

CUresult Choose(const Entry& entry, CUdevice device, CUmemoryPool pool) {
  if (!IsPool(pool) || pool->device != device) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  CurrentPools()[device] = pool;
  (void)entry;
  return CUDA_SUCCESS;
}

}  // namespace

CUmemoryPool NewPool(const Entry& entry, const CUmemPoolProps& properties) {
  auto* const pool = new CUmemPoolHandle_st;
  pool->device = properties.location.id;
  pool->card = entry.driver().devices[pool->device];
  pool->properties = properties;
  pool->access[pool->device] = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  Pools().insert(pool);
  return pool;
}

bool IsPool(CUmemoryPool pool) { return Pools().count(pool) != 0; }

CUmemoryPool DefaultPool(const Entry& entry, CUdevice device) {
  CUmemoryPool& pool = DefaultPools()[device];
  if (pool == nullptr) {
    CUmemPoolProps properties = {};
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties.location.id = device;
    pool = NewPool(entry, properties);
    pool->standard = true;
  }
  return pool;
}

CUmemoryPool CurrentPool(const Entry& entry, CUdevice device) {
  const auto chosen = CurrentPools().find(device);
  return chosen != CurrentPools().end() && IsPool(chosen->second) ? chosen->second
                                                                  : DefaultPool(entry, device);
}

CUresult AllocateFromPool(const Entry& entry, CUmemoryPool pool, std::uint64_t bytes,
                          CUdeviceptr* pointer) {
  if (pointer == nullptr || bytes == 0 || !IsPool(pool) || pool->imported) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const std::uint64_t rounded = RoundUp(bytes, kAlignment);
  if (rounded > entry.world().layout().card[pool->card].memory || !Grow(entry, pool, rounded)) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  Range range;
  range.kind = MemoryKind::kPool;
  range.size = bytes;
  range.reserved = RoundUp(bytes, kGranule);
  range.base = MapPages(range.reserved, true);
  if (range.base == 0 || !PlaceInFile(*pool, range)) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  range.card = pool->card;
  range.context = entry.context();
  range.owner = pool;
  pool->used += rounded;
  pool->used_high = std::max(pool->used_high, pool->used);
  *pointer = AddressSpace::Get().Add(range).base;
  return CUDA_SUCCESS;
}

void FreeToPool(CUdeviceptr pointer) {
  const Range range = *AddressSpace::Get().At(pointer);
  auto* const pool = static_cast<CUmemoryPool>(range.owner);
  if (IsPool(pool) && !pool->imported) {
    pool->used -= std::min(pool->used, RoundUp(range.size, kAlignment));
  }
  AddressSpace::Get().Remove(pointer);
  UnmapPages(range.base, range.reserved);
}

void TrimPool(const Entry& entry, CUmemoryPool pool, std::uint64_t keep) {
  const std::uint64_t stays = std::max(RoundUp(pool->used, kPiece), RoundUp(keep, kPiece));
  if (!pool->imported && stays < pool->reserved) {
    entry.driver().GiveMemory(pool->card, pool->reserved - stays);
    pool->reserved = stays;
  }
}

void PoolsSynchronized(const Entry& entry, CUcontext context) {
  for (auto at = Pools().begin(); at != Pools().end();) {
    CUmemoryPool const pool = *at;
    if (pool->card == context->card) {
      TrimPool(entry, pool, pool->ended ? 0 : std::min(pool->threshold, pool->reserved));
    }
    at = pool->ended && pool->used == 0 ? Pools().erase(at) : std::next(at);
  }
}

}  // namespace aliquot::simgpu

using namespace aliquot::simgpu;  // the driver's functions are in no namespace

CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties) {
  SIM_ENTER(kDriver);
  return Create(entry, pool, properties);
}

// What it holds stays until a wait after the last allocation from it is freed.
CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  SIM_ENTER(kDriver);
  if (!IsPool(pool) || pool->standard) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  TrimPool(entry, pool, 0);
  if (pool->used == 0) {
    Pools().erase(pool);
  } else {
    pool->ended = true;
  }
  return CUDA_SUCCESS;
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, std::size_t keep) {
  SIM_ENTER(kDriver);
  if (!IsPool(pool)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  TrimPool(entry, pool, std::min<std::uint64_t>(keep, pool->reserved));
  return CUDA_SUCCESS;
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  SIM_ENTER(kDriver);
  return IsPool(pool) && value != nullptr ? SetNumber(pool, attribute, value)
                                          : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  SIM_ENTER(kDriver);
  return IsPool(pool) && value != nullptr ? GetNumber(pool, attribute, value)
                                          : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* wanted, std::size_t count) {
  SIM_ENTER(kDriver);
  if (!IsPool(pool) || wanted == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!entry.driver().Valid(wanted[i].location.id)) {
      return CUDA_ERROR_INVALID_DEVICE;
    }
    pool->access[wanted[i].location.id] = wanted[i].flags;
  }
  return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool pool, CUmemLocation* location) {
  SIM_ENTER(kDriver);
  if (flags == nullptr || location == nullptr || !IsPool(pool) ||
      !entry.driver().Valid(location->id)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *flags = pool->access[location->id];
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
  SIM_ENTER(kDriver);
  if (pool == nullptr || !entry.driver().Valid(device)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *pool = DefaultPool(entry, device);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device) {
  SIM_ENTER(kDriver);
  if (pool == nullptr || !entry.driver().Valid(device)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *pool = CurrentPool(entry, device);
  return CUDA_SUCCESS;
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  SIM_ENTER(kDriver);
  return Choose(entry, device, pool);
}

CUresult cuMemGetDefaultMemPool(CUmemoryPool* pool, CUmemLocation* location,
                                CUmemAllocationType type) {
  SIM_ENTER(kDriver);
  const CUdevice device = DeviceOf(entry, location, type);
  if (pool == nullptr || device < 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *pool = DefaultPool(entry, device);
  return CUDA_SUCCESS;
}

CUresult cuMemGetMemPool(CUmemoryPool* pool, CUmemLocation* location, CUmemAllocationType type) {
  SIM_ENTER(kDriver);
  const CUdevice device = DeviceOf(entry, location, type);
  if (pool == nullptr || device < 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *pool = CurrentPool(entry, device);
  return CUDA_SUCCESS;
}

CUresult cuMemSetMemPool(CUmemLocation* location, CUmemAllocationType type, CUmemoryPool pool) {
  SIM_ENTER(kDriver);
  const CUdevice device = DeviceOf(entry, location, type);
  return device < 0 ? CUDA_ERROR_INVALID_VALUE : Choose(entry, device, pool);
}
