// SPDX-License-Identifier: Apache-2.0
// Linear, pitched and managed memory. Managed memory is charged in full when it is allocated,
// wherever its pages are later. Memory of the host is not touched.
#include "interposer/memory_calls.h"

ALIQUOT_DRIVER_FUNCTION(CUresult, cuMemFree_v2, (CUdeviceptr pointer));

namespace aliquot::interposer {
namespace {

// `pointer` is the caller's: of 64 bits, or of 32 in the functions of CUDA 2.
template <typename Pointer, typename Driver, typename Bytes>
CUresult AllocateLinear(Pointer* pointer, std::uint64_t bytes, Driver driver, Bytes given) {
  const HookScope scope;
  if (pointer == nullptr || !scope.outermost() || !Enforced()) {
    return driver();
  }
  return AllocateAt(
      CurrentPlace(), AllocationKind::kPointer, bytes, driver,
      [&] {
        return Described{*pointer, given()};
      },
      [&] {
        ALIQUOT_REAL(cuMemFree_v2)
        (*pointer);
      });
}

template <typename Pointer, typename Size>
CUresult AllocatePitched(CUresult (*real)(Pointer*, Size*, Size, Size, unsigned), Pointer* pointer,
                         Size* pitch, Size width, Size height, unsigned element) {
  const auto driver = [&] { return real(pointer, pitch, width, height, element); };
  std::uint64_t least = 0;
  if (pitch == nullptr ||
      __builtin_mul_overflow(std::uint64_t{width}, std::uint64_t{height}, &least)) {
    return driver();
  }
  return AllocateLinear(pointer, least, driver, [&] { return std::uint64_t{*pitch} * height; });
}

template <typename Driver>
CUresult FreeLinear(std::uint64_t pointer, Driver driver) {
  const HookScope scope;
  return pointer == 0 || !scope.outermost() || !Enforced()
             ? driver()
             : ReleaseOf(AllocationKind::kPointer, pointer, CUDA_ERROR_INVALID_VALUE, driver);
}

}  // namespace
}  // namespace aliquot::interposer

namespace ours = aliquot::interposer;

ALIQUOT_HOOK(CUresult, cuMemAlloc_v2, (CUdeviceptr * pointer, std::size_t bytes)) {
  return ours::AllocateLinear(
      pointer, bytes, [&] { return ALIQUOT_REAL(cuMemAlloc_v2)(pointer, bytes); },
      [&] { return bytes; });
}

ALIQUOT_HOOK(CUresult, cuMemAlloc, (CUdeviceptr_v1 * pointer, unsigned bytes)) {
  return ours::AllocateLinear(
      pointer, bytes, [&] { return ALIQUOT_REAL(cuMemAlloc)(pointer, bytes); },
      [&] { return bytes; });
}

ALIQUOT_HOOK(CUresult, cuMemAllocManaged,
             (CUdeviceptr * pointer, std::size_t bytes, unsigned flags)) {
  return ours::AllocateLinear(
      pointer, bytes, [&] { return ALIQUOT_REAL(cuMemAllocManaged)(pointer, bytes, flags); },
      [&] { return bytes; });
}

ALIQUOT_HOOK(CUresult, cuMemAllocPitch_v2,
             (CUdeviceptr * pointer, std::size_t* pitch, std::size_t width, std::size_t height,
              unsigned element)) {
  return ours::AllocatePitched(ALIQUOT_REAL(cuMemAllocPitch_v2), pointer, pitch, width, height,
                               element);
}

ALIQUOT_HOOK(CUresult, cuMemAllocPitch,
             (CUdeviceptr_v1 * pointer, unsigned* pitch, unsigned width, unsigned height,
              unsigned element)) {
  return ours::AllocatePitched(ALIQUOT_REAL(cuMemAllocPitch), pointer, pitch, width, height,
                               element);
}

ALIQUOT_HOOK(CUresult, cuMemFree_v2, (CUdeviceptr pointer)) {
  return ours::FreeLinear(pointer, [&] { return ALIQUOT_REAL(cuMemFree_v2)(pointer); });
}

ALIQUOT_HOOK(CUresult, cuMemFree, (CUdeviceptr_v1 pointer)) {
  return ours::FreeLinear(pointer, [&] { return ALIQUOT_REAL(cuMemFree)(pointer); });
}
