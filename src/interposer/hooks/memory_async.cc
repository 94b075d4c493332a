// SPDX-License-Identifier: Apache-2.0
// Stream-ordered memory. What is charged is the growth of the pool (pool_memory.h); a pointer is
// remembered so that it outlives its pool rightly. Into a stream that captures the call only makes
// a node of a graph (graph_memory.h).
#include "interposer/cards.h"
#include "interposer/cuda_launch_types.h"
#include "interposer/memory_calls.h"

ALIQUOT_DRIVER_FUNCTION(CUresult, cuStreamIsCapturing, (CUstream, CUstreamCaptureStatus*));
ALIQUOT_DRIVER_FUNCTION(CUresult, cuStreamIsCapturing_ptsz, (CUstream, CUstreamCaptureStatus*));
ALIQUOT_DRIVER_FUNCTION(CUresult, cuStreamGetCtx, (CUstream, CUcontext*));
ALIQUOT_DRIVER_FUNCTION(CUresult, cuCtxGetCurrent, (CUcontext*));
ALIQUOT_DRIVER_FUNCTION(CUresult, cuDeviceGetMemPool, (CUmemoryPool*, CUdevice));
ALIQUOT_DRIVER_FUNCTION(CUresult, cuMemFreeAsync, (CUdeviceptr, CUstream));

namespace aliquot::interposer {
namespace {

constexpr std::uintptr_t kNamedStreams = 2;  // null, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD

using IsCapturing = CUresult(CUstream, CUstreamCaptureStatus*);

// A stream that cannot tell (the legacy one beside a capture, a bad handle) is the driver's affair.
bool MayCharge(IsCapturing* ask, CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
  return ask(stream, &status) == CUDA_SUCCESS && status == CU_STREAM_CAPTURE_STATUS_NONE;
}

// An allocation comes from the pool of the stream's device, whatever context is current. -1: none.
CUdevice DeviceOfStream(CUstream stream) {
  CUcontext context = nullptr;
  const bool named = reinterpret_cast<std::uintptr_t>(stream) <= kNamedStreams;
  const CUresult result = named ? ALIQUOT_REAL(cuCtxGetCurrent)(&context)
                                : ALIQUOT_REAL(cuStreamGetCtx)(stream, &context);
  const CUdevice device =
      result == CUDA_SUCCESS && context != nullptr ? PlaceOfContext(context).device : -1;
  if (device >= 0 || named) {
    return device;
  }
  // A green context can't be asked while it is another thread's; its device is this one's too.
  return ALIQUOT_REAL(cuCtxGetCurrent)(&context) == CUDA_SUCCESS && context != nullptr
             ? PlaceOfContext(context).device
             : -1;
}

template <typename Driver>
CUresult AllocateFrom(CUmemoryPool pool, int card, CUdeviceptr* pointer, std::size_t bytes,
                      CUstream stream, Driver driver) {
  if (card < 0 || bytes == 0) {
    return driver();
  }
  PoolCharge charge(KeyOf(pool), card, bytes);
  if (!charge.admitted()) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  const CUresult result = driver();
  if (result != CUDA_SUCCESS) {
    return result;
  }
  const Allocation entry{AllocationKind::kPointer,
                         static_cast<std::int8_t>(card),
                         kFromPool,
                         1,
                         *pointer,
                         bytes,
                         KeyOf(pool)};
  const bool remembered = Allocations().Remember(entry);
  if (!remembered) {
    ALIQUOT_REAL(cuMemFreeAsync)(*pointer, stream);
  }
  charge.Commit();
  return remembered ? result : CUDA_ERROR_OUT_OF_MEMORY;
}

using AllocAsync = CUresult(CUdeviceptr*, std::size_t, CUstream);
using AllocFromPool = CUresult(CUdeviceptr*, std::size_t, CUmemoryPool, CUstream);
using FreeAsync = CUresult(CUdeviceptr, CUstream);

CUresult AllocateAsync(AllocAsync* real, IsCapturing* capturing, CUdeviceptr* pointer,
                       std::size_t bytes, CUstream stream) {
  const HookScope scope;
  const auto driver = [&] { return real(pointer, bytes, stream); };
  if (pointer == nullptr || !scope.outermost() || !Enforced() || !MayCharge(capturing, stream)) {
    return driver();
  }
  const CUdevice device = DeviceOfStream(stream);
  CUmemoryPool pool = nullptr;
  if (device < 0 || ALIQUOT_REAL(cuDeviceGetMemPool)(&pool, device) != CUDA_SUCCESS) {
    return driver();
  }
  return AllocateFrom(pool, CardOfPool(pool), pointer, bytes, stream, driver);
}

CUresult AllocateFromPool(AllocFromPool* real, IsCapturing* capturing, CUdeviceptr* pointer,
                          std::size_t bytes, CUmemoryPool pool, CUstream stream) {
  const HookScope scope;
  const auto driver = [&] { return real(pointer, bytes, pool, stream); };
  if (pointer == nullptr || pool == nullptr || !scope.outermost() || !Enforced() ||
      !MayCharge(capturing, stream)) {
    return driver();
  }
  return AllocateFrom(pool, CardOfPool(pool), pointer, bytes, stream, driver);
}

// Into a stream that captures nothing is freed now, whatever the driver says of the pointer.
CUresult FreeOnStream(FreeAsync* real, IsCapturing* capturing, CUdeviceptr pointer,
                      CUstream stream) {
  const HookScope scope;
  const auto driver = [&] { return real(pointer, stream); };
  return pointer == 0 || !scope.outermost() || !Enforced() || !MayCharge(capturing, stream)
             ? driver()
             : ReleaseOf(AllocationKind::kPointer, pointer, CUDA_ERROR_INVALID_VALUE, driver);
}

}  // namespace
}  // namespace aliquot::interposer

namespace ours = aliquot::interposer;

ALIQUOT_HOOK(CUresult, cuMemAllocAsync,
             (CUdeviceptr * pointer, std::size_t bytes, CUstream stream)) {
  return ours::AllocateAsync(ALIQUOT_REAL(cuMemAllocAsync), ALIQUOT_REAL(cuStreamIsCapturing),
                             pointer, bytes, stream);
}

ALIQUOT_HOOK(CUresult, cuMemAllocAsync_ptsz,
             (CUdeviceptr * pointer, std::size_t bytes, CUstream stream)) {
  return ours::AllocateAsync(ALIQUOT_REAL(cuMemAllocAsync_ptsz),
                             ALIQUOT_REAL(cuStreamIsCapturing_ptsz), pointer, bytes, stream);
}

ALIQUOT_HOOK(CUresult, cuMemAllocFromPoolAsync,
             (CUdeviceptr * pointer, std::size_t bytes, CUmemoryPool pool, CUstream stream)) {
  return ours::AllocateFromPool(ALIQUOT_REAL(cuMemAllocFromPoolAsync),
                                ALIQUOT_REAL(cuStreamIsCapturing), pointer, bytes, pool, stream);
}

ALIQUOT_HOOK(CUresult, cuMemAllocFromPoolAsync_ptsz,
             (CUdeviceptr * pointer, std::size_t bytes, CUmemoryPool pool, CUstream stream)) {
  return ours::AllocateFromPool(ALIQUOT_REAL(cuMemAllocFromPoolAsync_ptsz),
                                ALIQUOT_REAL(cuStreamIsCapturing_ptsz), pointer, bytes, pool,
                                stream);
}

ALIQUOT_HOOK(CUresult, cuMemFreeAsync, (CUdeviceptr pointer, CUstream stream)) {
  return ours::FreeOnStream(ALIQUOT_REAL(cuMemFreeAsync), ALIQUOT_REAL(cuStreamIsCapturing),
                            pointer, stream);
}

ALIQUOT_HOOK(CUresult, cuMemFreeAsync_ptsz, (CUdeviceptr pointer, CUstream stream)) {
  return ours::FreeOnStream(ALIQUOT_REAL(cuMemFreeAsync_ptsz),
                            ALIQUOT_REAL(cuStreamIsCapturing_ptsz), pointer, stream);
}
