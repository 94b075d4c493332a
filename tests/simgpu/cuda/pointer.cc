// SPDX-License-Identifier: Apache-2.0
// What a pointer is; and advice about managed memory, which comes to a card when it is told to.
#include <algorithm>

#include "tests/simgpu/cuda/memory.h"

namespace aliquot::simgpu {
namespace {

bool OnHost(const Range& range) {
  return range.kind == MemoryKind::kHost || range.kind == MemoryKind::kRegistered;
}

CUdevice DeviceOf(const Entry& entry, const Range& range) {
  for (int i = 0; entry.driver().Valid(i); ++i) {
    if (entry.driver().devices[i] == range.card) {
      return i;
    }
  }
  return -1;
}

CUresult Attribute(const Entry& entry, const Range& range, CUpointer_attribute attribute,
                   CUdeviceptr pointer, void* out) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      *static_cast<CUcontext*>(out) = range.context;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *static_cast<unsigned*>(out) = OnHost(range) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      *static_cast<CUdeviceptr*>(out) = pointer;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      if (!OnHost(range) && range.kind != MemoryKind::kManaged) {
        return CUDA_ERROR_INVALID_VALUE;
      }
      *static_cast<void**>(out) = reinterpret_cast<void*>(pointer);
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
      *static_cast<unsigned*>(out) = range.sync_memops ? 1 : 0;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      *static_cast<unsigned long long*>(out) = range.id;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      *static_cast<unsigned*>(out) = range.kind == MemoryKind::kManaged ? 1 : 0;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      *static_cast<int*>(out) = OnHost(range) ? -2 : DeviceOf(entry, range);
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      *static_cast<unsigned*>(out) = range.kind == MemoryKind::kDevice ? 1 : 0;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      *static_cast<CUdeviceptr*>(out) = range.base;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      *static_cast<std::size_t*>(out) = range.size;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPED:
      *static_cast<unsigned*>(out) = range.accessible ? 1 : 0;
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      *static_cast<void**>(out) = range.kind == MemoryKind::kPool ? range.owner : nullptr;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

// Managed memory that a card is told to hold is that card's until it is told otherwise.
CUresult Prefetch(const Entry& entry, CUdeviceptr pointer, std::size_t bytes, CUdevice device,
                  CUstream handle, bool per_thread) {
  Range* const range = AddressSpace::Get().Find(pointer);
  if (StreamOf(entry, handle, per_thread) == nullptr) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  if (range == nullptr || range->kind != MemoryKind::kManaged || bytes == 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (device < 0) {
    entry.driver().GiveMemory(range->card, range->charged);
    range->charged = 0;
    return CUDA_SUCCESS;
  }
  if (!entry.driver().Valid(device)) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  const int card = entry.driver().devices[device];
  const std::uint64_t wanted = RoundUp(std::min<std::uint64_t>(bytes, range->size), kGranule);
  entry.driver().GiveMemory(range->card, range->charged);
  range->charged = 0;
  range->card = card;
  // What does not fit stays with the host.
  if (entry.driver().TakeMemory(card, wanted)) {
    range->charged = wanted;
  }
  return CUDA_SUCCESS;
}

}  // namespace
}  // namespace aliquot::simgpu

using namespace aliquot::simgpu;  // the driver's functions are in no namespace

CUresult cuPointerGetAttribute(void* out, CUpointer_attribute attribute, CUdeviceptr pointer) {
  SIM_ENTER(kDriver);
  const Range* const range = AddressSpace::Get().Find(pointer);
  if (out == nullptr || range == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return Attribute(entry, *range, attribute, pointer, out);
}

// What the driver does not know is told as zeros, without an error.
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute* attributes, void** out,
                                CUdeviceptr pointer) {
  SIM_ENTER(kDriver);
  if (attributes == nullptr || out == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const Range* const known = AddressSpace::Get().Find(pointer);
  for (unsigned i = 0; i < count; ++i) {
    if (known != nullptr) {
      Attribute(entry, *known, attributes[i], pointer, out[i]);
    } else if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) {
      *static_cast<int*>(out[i]) = -2;
    } else {
      *static_cast<unsigned*>(out[i]) = 0;
    }
  }
  return CUDA_SUCCESS;
}

CUresult cuPointerSetAttribute(const void* value, CUpointer_attribute attribute,
                               CUdeviceptr pointer) {
  SIM_ENTER(kDriver);
  Range* const range = AddressSpace::Get().Find(pointer);
  if (value == nullptr || range == nullptr || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  range->sync_memops = *static_cast<const unsigned*>(value) != 0;
  return CUDA_SUCCESS;
}

#define SIM_PREFETCH(suffix, per_thread)                                                         \
  CUresult cuMemPrefetchAsync##suffix(CUdeviceptr pointer, std::size_t bytes, CUdevice device,   \
                                      CUstream stream) {                                         \
    SIM_ENTER(kContext);                                                                         \
    return Prefetch(entry, pointer, bytes, device, stream, per_thread);                          \
  }                                                                                              \
  CUresult cuMemPrefetchAsync_v2##suffix(CUdeviceptr pointer, std::size_t bytes,                 \
                                         CUmemLocation place, unsigned, CUstream stream) {       \
    SIM_ENTER(kContext);                                                                         \
    const bool card = place.type == CU_MEM_LOCATION_TYPE_DEVICE;                                 \
    return Prefetch(entry, pointer, bytes, card ? place.id : CU_DEVICE_CPU, stream, per_thread); \
  }                                                                                              \
  CUresult cuStreamAttachMemAsync##suffix(CUstream stream, CUdeviceptr pointer, std::size_t,     \
                                          unsigned) {                                            \
    SIM_ENTER(kContext);                                                                         \
    const Range* const range = AddressSpace::Get().Find(pointer);                                \
    return StreamOf(entry, stream, per_thread) != nullptr && range != nullptr                    \
               ? CUDA_SUCCESS                                                                    \
               : CUDA_ERROR_INVALID_VALUE;                                                       \
  }
SIM_PREFETCH(, false)
SIM_PREFETCH(_ptsz, true)

// Advice may be followed or not.
CUresult cuMemAdvise(CUdeviceptr pointer, std::size_t, CUmem_advise, CUdevice) {
  SIM_ENTER(kContext);
  const Range* const range = AddressSpace::Get().Find(pointer);
  return range != nullptr && range->kind == MemoryKind::kManaged ? CUDA_SUCCESS
                                                                 : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemAdvise_v2(CUdeviceptr pointer, std::size_t, CUmem_advise, CUmemLocation) {
  SIM_ENTER(kContext);
  const Range* const range = AddressSpace::Get().Find(pointer);
  return range != nullptr && range->kind == MemoryKind::kManaged ? CUDA_SUCCESS
                                                                 : CUDA_ERROR_INVALID_VALUE;
}
