// SPDX-License-Identifier: Apache-2.0
// Arrays and mipmapped arrays: charged by their descriptors (array_bytes.h). Sparse ones and those
// that are mapped later have no memory of their own.
#include "interposer/array_bytes.h"
#include "interposer/memory_calls.h"

ALIQUOT_DRIVER_FUNCTION(CUresult, cuArrayDestroy, (CUarray array));
ALIQUOT_DRIVER_FUNCTION(CUresult, cuMipmappedArrayDestroy, (CUmipmappedArray array));

namespace aliquot::interposer {
namespace {

constexpr auto kGone = static_cast<CUresult>(400);  // CUDA_ERROR_INVALID_HANDLE

template <typename Handle, typename Driver>
CUresult CreateArray(AllocationKind kind, Handle* handle, std::uint64_t bytes, Driver driver,
                     CUresult (*destroy)(Handle)) {
  return AllocateAt(
      CurrentPlace(), kind, bytes, driver,
      [&] {
        return Described{reinterpret_cast<std::uint64_t>(*handle), bytes};
      },
      [&] { destroy(*handle); });
}

// Of one with two extents.
template <typename Descriptor>
CUDA_ARRAY3D_DESCRIPTOR Flat(const Descriptor& array) {
  return {array.Width, array.Height, 0, array.Format, array.NumChannels, 0};
}

CUDA_ARRAY3D_DESCRIPTOR Wide(const CUDA_ARRAY3D_DESCRIPTOR_v1& array) {
  return {array.Width, array.Height, array.Depth, array.Format, array.NumChannels, array.Flags};
}

// `full` makes a CUDA_ARRAY3D_DESCRIPTOR of the caller's.
template <typename Descriptor, typename Full>
CUresult CreatePlain(CUresult (*real)(CUarray*, const Descriptor*), CUarray* handle,
                     const Descriptor* array, Full full) {
  const HookScope scope;
  const auto driver = [&] { return real(handle, array); };
  if (handle == nullptr || array == nullptr || !scope.outermost() || !Enforced()) {
    return driver();
  }
  return CreateArray(AllocationKind::kArray, handle, ArrayBytes(full(*array)), driver,
                     ALIQUOT_REAL(cuArrayDestroy));
}

template <typename Handle>
CUresult Destroy(AllocationKind kind, Handle handle, CUresult (*real)(Handle)) {
  const HookScope scope;
  const auto driver = [&] { return real(handle); };
  return !scope.outermost() || !Enforced()
             ? driver()
             : ReleaseOf(kind, reinterpret_cast<std::uint64_t>(handle), kGone, driver);
}

}  // namespace
}  // namespace aliquot::interposer

namespace ours = aliquot::interposer;

ALIQUOT_HOOK(CUresult, cuArrayCreate_v2, (CUarray * handle, const CUDA_ARRAY_DESCRIPTOR* array)) {
  return ours::CreatePlain(ALIQUOT_REAL(cuArrayCreate_v2), handle, array,
                           ours::Flat<CUDA_ARRAY_DESCRIPTOR>);
}

ALIQUOT_HOOK(CUresult, cuArrayCreate, (CUarray * handle, const CUDA_ARRAY_DESCRIPTOR_v1* array)) {
  return ours::CreatePlain(ALIQUOT_REAL(cuArrayCreate), handle, array,
                           ours::Flat<CUDA_ARRAY_DESCRIPTOR_v1>);
}

ALIQUOT_HOOK(CUresult, cuArray3DCreate_v2,
             (CUarray * handle, const CUDA_ARRAY3D_DESCRIPTOR* array)) {
  return ours::CreatePlain(ALIQUOT_REAL(cuArray3DCreate_v2), handle, array,
                           [](const CUDA_ARRAY3D_DESCRIPTOR& full) { return full; });
}

ALIQUOT_HOOK(CUresult, cuArray3DCreate,
             (CUarray * handle, const CUDA_ARRAY3D_DESCRIPTOR_v1* array)) {
  return ours::CreatePlain(ALIQUOT_REAL(cuArray3DCreate), handle, array, ours::Wide);
}

ALIQUOT_HOOK(CUresult, cuMipmappedArrayCreate,
             (CUmipmappedArray * handle, const CUDA_ARRAY3D_DESCRIPTOR* array, unsigned levels)) {
  const ours::HookScope scope;
  const auto driver = [&] { return ALIQUOT_REAL(cuMipmappedArrayCreate)(handle, array, levels); };
  if (handle == nullptr || array == nullptr || !scope.outermost() || !ours::Enforced()) {
    return driver();
  }
  return ours::CreateArray(ours::AllocationKind::kMipmap, handle, ours::MipmapBytes(*array, levels),
                           driver, ALIQUOT_REAL(cuMipmappedArrayDestroy));
}

ALIQUOT_HOOK(CUresult, cuArrayDestroy, (CUarray array)) {
  return ours::Destroy(ours::AllocationKind::kArray, array, ALIQUOT_REAL(cuArrayDestroy));
}

ALIQUOT_HOOK(CUresult, cuMipmappedArrayDestroy, (CUmipmappedArray array)) {
  return ours::Destroy(ours::AllocationKind::kMipmap, array, ALIQUOT_REAL(cuMipmappedArrayDestroy));
}
