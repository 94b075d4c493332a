// SPDX-License-Identifier: Apache-2.0
// Linear device memory.
#include "tests/simgpu/cuda/capture.h"
#include "tests/simgpu/cuda/pool.h"

using namespace aliquot::simgpu;  // the driver's functions are in no namespace

namespace {

// Rows begin at multiples of this.
constexpr std::size_t kPitch = 512;

CUresult FreeMemory(const Entry& entry, CUdeviceptr pointer) {
  if (pointer == 0) {
    return CUDA_SUCCESS;
  }
  // Freeing waits for the work that may use it.
  if (const CUresult answer = WaitForContext(entry, entry.context()); answer != CUDA_SUCCESS) {
    return answer;
  }
  const Range* const range = AddressSpace::Get().At(pointer);
  if (range != nullptr && range->kind == MemoryKind::kPool) {
    FreeToPool(pointer);
    PoolsSynchronized(entry, entry.context());
    return CUDA_SUCCESS;
  }
  if (range != nullptr && range->kind == MemoryKind::kGraph) {
    return FreeGraphMemory(entry, pointer);
  }
  return FreeDevice(entry, pointer);
}

}  // namespace

CUresult cuMemAlloc_v2(CUdeviceptr* pointer, std::size_t bytes) {
  SIM_ENTER_UNSAFE();
  return AllocateDevice(entry, bytes, pointer);
}

CUresult cuMemAlloc(CUdeviceptr_v1* pointer, unsigned bytes) {
  SIM_ENTER_UNSAFE();
  CUdeviceptr made = 0;
  if (pointer == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const CUresult answer = AllocateDevice(entry, bytes, &made, true);
  if (answer == CUDA_SUCCESS) {
    *pointer = static_cast<CUdeviceptr_v1>(made);
  }
  return answer;
}

// Through the driver's own exported function, as some real drivers do: built without DT_SYMBOLIC,
// that call lands in whoever stands before the driver.
CUresult cuMemAllocPitch_v2(CUdeviceptr* pointer, std::size_t* pitch, std::size_t width,
                            std::size_t height, unsigned element) {
  SIM_ENTER_UNSAFE();
  if (pointer == nullptr || pitch == nullptr || width == 0 || height == 0 ||
      (element != 4 && element != 8 && element != 16)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const std::size_t row = RoundUp(width, kPitch);
  const CUresult answer = cuMemAlloc_v2(pointer, row * height);
  if (answer == CUDA_SUCCESS) {
    *pitch = row;
  }
  return answer;
}

CUresult cuMemAllocPitch(CUdeviceptr_v1* pointer, unsigned* pitch, unsigned width, unsigned height,
                         unsigned element) {
  SIM_ENTER_UNSAFE();
  if (pitch == nullptr || width == 0 || height == 0 ||
      (element != 4 && element != 8 && element != 16)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const std::size_t row = RoundUp(width, kPitch);
  CUdeviceptr made = 0;
  const CUresult answer = AllocateDevice(entry, row * height, &made, true);
  if (answer == CUDA_SUCCESS) {
    *pointer = static_cast<CUdeviceptr_v1>(made);
    *pitch = static_cast<unsigned>(row);
  }
  return answer;
}

CUresult cuMemFree_v2(CUdeviceptr pointer) {
  SIM_ENTER_UNSAFE();
  return FreeMemory(entry, pointer);
}

CUresult cuMemFree(CUdeviceptr_v1 pointer) {
  SIM_ENTER_UNSAFE();
  return FreeMemory(entry, pointer);
}

CUresult cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  SIM_ENTER(kContext);
  if (free == nullptr || total == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const WorldLock lock(entry.world());
  entry.world().ReapSometimes();
  const auto& card = entry.world().layout().card[entry.card()];
  *total = card.memory - card.reserved;
  *free = MemoryFree(entry.world().layout(), entry.card());
  return CUDA_SUCCESS;
}

CUresult cuMemGetInfo(unsigned* free, unsigned* total) {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  if (free == nullptr || total == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const CUresult answer = cuMemGetInfo_v2(&free_bytes, &total_bytes);
  if (answer == CUDA_SUCCESS) {
    *free = free_bytes > ~0U ? ~0U : static_cast<unsigned>(free_bytes);
    *total = total_bytes > ~0U ? ~0U : static_cast<unsigned>(total_bytes);
  }
  return answer;
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, std::size_t* size, CUdeviceptr pointer) {
  SIM_ENTER(kContext);
  const Range* const range = AddressSpace::Get().Find(pointer);
  if (range == nullptr) {
    return CUDA_ERROR_NOT_FOUND;
  }
  if (base != nullptr) {
    *base = range->base;
  }
  if (size != nullptr) {
    *size = range->size;
  }
  return CUDA_SUCCESS;
}

CUresult cuMemGetAddressRange(CUdeviceptr_v1* base, unsigned* size, CUdeviceptr_v1 pointer) {
  SIM_ENTER(kContext);
  const Range* const range = AddressSpace::Get().Find(pointer);
  if (range == nullptr || range->base > ~0U) {
    return CUDA_ERROR_NOT_FOUND;
  }
  if (base != nullptr) {
    *base = static_cast<CUdeviceptr_v1>(range->base);
  }
  if (size != nullptr) {
    *size = static_cast<unsigned>(range->size);
  }
  return CUDA_SUCCESS;
}
