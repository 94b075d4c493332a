// SPDX-License-Identifier: Apache-2.0
// Stream-ordered allocation. Memory is there at once and free at once: nothing that runs looks at
// it.
#include "tests/simgpu/cuda/capture.h"
#include "tests/simgpu/cuda/pool.h"

using namespace aliquot::simgpu;  // the driver's functions are in no namespace

namespace {

CUresult Allocate(const Entry& entry, CUdeviceptr* pointer, std::size_t bytes, CUmemoryPool pool,
                  CUstream handle, bool per_thread) {
  CUstream const stream = StreamOf(entry, handle, per_thread);
  if (stream == nullptr) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (pointer == nullptr || bytes == 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const CUdevice device = stream->context->device;
  CUmemoryPool const from = pool == nullptr ? CurrentPool(entry, device) : pool;
  return stream->capture != nullptr ? CaptureAllocation(entry, stream, from, bytes, pointer)
                                    : AllocateFromPool(entry, from, bytes, pointer);
}

CUresult Free(const Entry& entry, CUdeviceptr pointer, CUstream handle, bool per_thread) {
  CUstream const stream = StreamOf(entry, handle, per_thread);
  if (stream == nullptr) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (stream->capture != nullptr) {
    return CaptureFree(entry, stream, pointer);
  }
  const Range* const range = AddressSpace::Get().At(pointer);
  if (range == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  switch (range->kind) {
    case MemoryKind::kPool:
      FreeToPool(pointer);
      return CUDA_SUCCESS;
    case MemoryKind::kGraph:
      return FreeGraphMemory(entry, pointer);
    default:
      return FreeDevice(entry, pointer);
  }
}

}  // namespace

#define SIM_STREAM_ORDERED(suffix, per_thread)                                                 \
  CUresult cuMemAllocAsync##suffix(CUdeviceptr* pointer, std::size_t bytes, CUstream stream) { \
    SIM_ENTER(kContext);                                                                       \
    return Allocate(entry, pointer, bytes, nullptr, stream, per_thread);                       \
  }                                                                                            \
  CUresult cuMemAllocFromPoolAsync##suffix(CUdeviceptr* pointer, std::size_t bytes,            \
                                           CUmemoryPool pool, CUstream stream) {               \
    SIM_ENTER(kContext);                                                                       \
    return IsPool(pool) ? Allocate(entry, pointer, bytes, pool, stream, per_thread)            \
                        : CUDA_ERROR_INVALID_VALUE;                                            \
  }                                                                                            \
  CUresult cuMemFreeAsync##suffix(CUdeviceptr pointer, CUstream stream) {                      \
    SIM_ENTER(kContext);                                                                       \
    return Free(entry, pointer, stream, per_thread);                                           \
  }
SIM_STREAM_ORDERED(, false)
SIM_STREAM_ORDERED(_ptsz, true)
