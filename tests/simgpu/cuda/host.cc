// SPDX-License-Identifier: Apache-2.0
// Memory of the host that the driver knows, and managed memory.
#include <sys/mman.h>

#include "tests/simgpu/cuda/capture.h"
#include "tests/simgpu/cuda/memory.h"

using namespace aliquot::simgpu;  // the driver's functions are in no namespace

namespace {

constexpr std::uint64_t kPage = 4096;

// Takes nothing of a card.
CUresult AllocatePages(const Entry& entry, MemoryKind kind, std::size_t bytes, unsigned flags,
                       CUdeviceptr* pointer) {
  if (pointer == nullptr || bytes == 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  Range range;
  range.kind = kind;
  range.size = bytes;
  range.reserved = RoundUp(bytes, kPage);
  range.card = entry.card();
  range.context = entry.context();
  range.flags = flags;
  range.base = MapPages(range.reserved, true);
  if (range.base == 0) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *pointer = AddressSpace::Get().Add(range).base;
  return CUDA_SUCCESS;
}

CUresult AllocateHost(const Entry& entry, void** place, std::size_t bytes, unsigned flags) {
  CUdeviceptr made = 0;
  if (place == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const CUresult answer = AllocatePages(entry, MemoryKind::kHost, bytes, flags, &made);
  if (answer == CUDA_SUCCESS) {
    *place = reinterpret_cast<void*>(made);
  }
  return answer;
}

CUresult Register(const Entry& entry, void* place, std::size_t bytes, unsigned flags) {
  if (place == nullptr || bytes == 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const auto base = reinterpret_cast<CUdeviceptr>(place);
  if (AddressSpace::Get().Find(base) != nullptr) {
    return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  }
  Range range;
  range.kind = MemoryKind::kRegistered;
  range.base = base;
  range.size = bytes;
  range.context = entry.context();
  range.flags = flags;
  AddressSpace::Get().Add(range);
  return CUDA_SUCCESS;
}

const Range* HostRange(const void* place) {
  const Range* const range = AddressSpace::Get().Find(reinterpret_cast<CUdeviceptr>(place));
  const bool host = range != nullptr &&
                    (range->kind == MemoryKind::kHost || range->kind == MemoryKind::kRegistered);
  return host ? range : nullptr;
}

}  // namespace

CUresult cuMemAllocManaged(CUdeviceptr* pointer, std::size_t bytes, unsigned flags) {
  SIM_ENTER_UNSAFE();
  if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return AllocatePages(entry, MemoryKind::kManaged, bytes, flags, pointer);
}

CUresult cuMemAllocHost_v2(void** place, std::size_t bytes) {
  SIM_ENTER_UNSAFE();
  return AllocateHost(entry, place, bytes, 0);
}

CUresult cuMemAllocHost(void** place, unsigned bytes) {
  SIM_ENTER_UNSAFE();
  return AllocateHost(entry, place, bytes, 0);
}

CUresult cuMemHostAlloc(void** place, std::size_t bytes, unsigned flags) {
  SIM_ENTER_UNSAFE();
  return AllocateHost(entry, place, bytes, flags);
}

CUresult cuMemFreeHost(void* place) {
  SIM_ENTER_UNSAFE();
  const Range* const range = AddressSpace::Get().At(reinterpret_cast<CUdeviceptr>(place));
  if (range == nullptr || range->kind != MemoryKind::kHost) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  UnmapPages(range->base, range->reserved);
  AddressSpace::Get().Remove(reinterpret_cast<CUdeviceptr>(place));
  return CUDA_SUCCESS;
}

CUresult cuMemHostRegister_v2(void* place, std::size_t bytes, unsigned flags) {
  SIM_ENTER(kContext);
  return Register(entry, place, bytes, flags);
}

CUresult cuMemHostRegister(void* place, std::size_t bytes, unsigned flags) {
  SIM_ENTER(kContext);
  return Register(entry, place, bytes, flags);
}

CUresult cuMemHostUnregister(void* place) {
  SIM_ENTER(kContext);
  const Range* const range = AddressSpace::Get().At(reinterpret_cast<CUdeviceptr>(place));
  if (range == nullptr || range->kind != MemoryKind::kRegistered) {
    return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  }
  AddressSpace::Get().Remove(range->base);
  return CUDA_SUCCESS;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* pointer, void* place, unsigned flags) {
  SIM_ENTER(kContext);
  if (pointer == nullptr || flags != 0 || HostRange(place) == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *pointer = reinterpret_cast<CUdeviceptr>(place);
  return CUDA_SUCCESS;
}

CUresult cuMemHostGetFlags(unsigned* flags, void* place) {
  SIM_ENTER(kContext);
  const Range* const range = HostRange(place);
  if (flags == nullptr || range == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *flags = range->flags;
  return CUDA_SUCCESS;
}
