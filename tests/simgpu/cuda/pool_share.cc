// SPDX-License-Identifier: Apache-2.0
// Pools that other processes import: the descriptor of the pool's file, and for each allocation its
// place in it. The memory is the exporter's, and goes with it.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "tests/simgpu/cuda/pool.h"

namespace aliquot::simgpu {
namespace {

struct PointerData {
  char magic[8];
  std::uint64_t offset;
  std::uint64_t size;
};
constexpr char kMagic[8] = {'S', 'I', 'M', 'G', 'P', 'O', 'O', 'L'};
static_assert(sizeof(PointerData) <= sizeof(CUmemPoolPtrExportData));

CUresult Export(void* out, CUmemoryPool pool, CUmemAllocationHandleType type) {
  if (out == nullptr || !IsPool(pool) || pool->file < 0 || pool->imported ||
      type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const int descriptor = dup(pool->file);
  std::memcpy(out, &descriptor, sizeof(descriptor));
  return descriptor < 0 ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_SUCCESS;
}

CUresult Import(const Entry& entry, CUmemoryPool* pool, void* handle,
                CUmemAllocationHandleType type) {
  const int descriptor = dup(static_cast<int>(reinterpret_cast<std::intptr_t>(handle)));
  if (pool == nullptr || descriptor < 0 || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) {
    close(descriptor);
    return CUDA_ERROR_INVALID_VALUE;
  }
  CUmemPoolProps properties = {};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.handleTypes = type;
  *pool = NewPool(entry, properties);
  (*pool)->imported = true;
  (*pool)->file = descriptor;
  return CUDA_SUCCESS;
}

CUresult ExportPointer(CUmemPoolPtrExportData* out, CUdeviceptr pointer) {
  const Range* const range = AddressSpace::Get().At(pointer);
  if (out == nullptr || range == nullptr || range->kind != MemoryKind::kPool ||
      static_cast<CUmemoryPool>(range->owner)->file < 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  PointerData data = {};
  std::memcpy(data.magic, kMagic, sizeof(kMagic));
  data.offset = range->offset;
  data.size = range->size;
  std::memset(out, 0, sizeof(*out));
  std::memcpy(out->reserved, &data, sizeof(data));
  return CUDA_SUCCESS;
}

CUresult ImportPointer(const Entry& entry, CUdeviceptr* pointer, CUmemoryPool pool,
                       const CUmemPoolPtrExportData* from) {
  PointerData data = {};
  if (pointer == nullptr || from == nullptr || !IsPool(pool) || !pool->imported) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  std::memcpy(&data, from->reserved, sizeof(data));
  if (std::memcmp(data.magic, kMagic, sizeof(kMagic)) != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  Range range;
  range.kind = MemoryKind::kPool;
  range.size = data.size;
  range.reserved = RoundUp(data.size, kGranule);
  range.base = MapPages(range.reserved, true);
  range.card = pool->card;
  range.context = entry.context();
  range.owner = pool;
  if (range.base == 0 ||
      mmap(reinterpret_cast<void*>(range.base), range.reserved, PROT_READ | PROT_WRITE,
           MAP_SHARED | MAP_FIXED, pool->file, static_cast<off_t>(data.offset)) == MAP_FAILED) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *pointer = AddressSpace::Get().Add(range).base;
  return CUDA_SUCCESS;
}

}  // namespace
}  // namespace aliquot::simgpu

using namespace aliquot::simgpu;  // the driver's functions are in no namespace

CUresult cuMemPoolExportToShareableHandle(void* out, CUmemoryPool pool,
                                          CUmemAllocationHandleType type,
                                          unsigned long long flags) {
  SIM_ENTER(kDriver);
  return flags != 0 ? CUDA_ERROR_INVALID_VALUE : Export(out, pool, type);
}

CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool* pool, void* handle,
                                            CUmemAllocationHandleType type,
                                            unsigned long long flags) {
  SIM_ENTER(kDriver);
  return flags != 0 ? CUDA_ERROR_INVALID_VALUE : Import(entry, pool, handle, type);
}

CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData* out, CUdeviceptr pointer) {
  SIM_ENTER(kDriver);
  return ExportPointer(out, pointer);
}

CUresult cuMemPoolImportPointer(CUdeviceptr* pointer, CUmemoryPool pool,
                                CUmemPoolPtrExportData* from) {
  SIM_ENTER(kContext);
  return ImportPointer(entry, pointer, pool, from);
}
