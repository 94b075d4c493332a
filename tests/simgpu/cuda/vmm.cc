// SPDX-License-Identifier: Apache-2.0
// Virtual memory management: physical allocations, address ranges, and what is mapped where. The
// memory of a physical allocation goes when neither a handle nor a mapping is left.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <unordered_map>
#include <vector>

#include "tests/simgpu/cuda/memory.h"
#include "tests/simgpu/cuda/shared_block.h"

namespace aliquot::simgpu {
namespace {

struct Physical {
  CUmemAllocationProp properties = {};
  std::uint64_t bytes = 0;
  int card = -1;  // -1 = memory of the host
  int file = -1;
  int block = -1;
  unsigned handles = 1;
  unsigned mappings = 0;
};

using Handle = CUmemGenericAllocationHandle;

std::unordered_map<Handle, Physical>& Physicals() {
  static auto* const physicals = new std::unordered_map<Handle, Physical>;
  return *physicals;
}

// Reserved addresses: base -> bytes.
std::map<CUdeviceptr, std::uint64_t>& Reserved() {
  static auto* const reserved = new std::map<CUdeviceptr, std::uint64_t>;
  return *reserved;
}

bool InReserved(CUdeviceptr address, std::uint64_t bytes) {
  auto after = Reserved().upper_bound(address);
  if (after == Reserved().begin()) {
    return false;
  }
  --after;
  return address + bytes >= address && address + bytes <= after->first + after->second;
}

Physical* PhysicalOf(Handle handle) {
  const auto found = Physicals().find(handle);
  return found == Physicals().end() ? nullptr : &found->second;
}

Handle AddPhysical(const Physical& physical) {
  static Handle next = 0x1000;
  Physicals()[++next] = physical;
  return next;
}

void EndIfUnused(const Entry& entry, Handle handle) {
  Physical& physical = Physicals()[handle];
  if (physical.handles != 0 || physical.mappings != 0) {
    return;
  }
  if (physical.block >= 0) {
    LeaveBlock(entry, physical.block);
  } else if (physical.card >= 0) {
    entry.driver().GiveMemory(physical.card, physical.bytes);
  }
  close(physical.file);
  Physicals().erase(handle);
}

CUresult Create(const Entry& entry, Handle* handle, std::uint64_t bytes,
                const CUmemAllocationProp* properties) {
  if (handle == nullptr || properties == nullptr || bytes == 0 || bytes % kGranule != 0 ||
      properties->type != CU_MEM_ALLOCATION_TYPE_PINNED) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  Physical physical;
  physical.properties = *properties;
  physical.bytes = bytes;
  const bool on_card = properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE;
  if (on_card && !entry.driver().Valid(properties->location.id)) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  if (on_card) {
    physical.card = entry.driver().devices[properties->location.id];
    if (!entry.driver().TakeMemory(physical.card, bytes)) {
      return CUDA_ERROR_OUT_OF_MEMORY;
    }
  }
  physical.file = AnonymousFile(bytes);
  if (on_card && physical.file >= 0 &&
      properties->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE) {
    physical.block = AddBlock(entry, physical.card, bytes, physical.file);
  }
  if (physical.file < 0 ||
      (on_card && properties->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE &&
       physical.block < 0)) {
    if (on_card) {
      entry.driver().GiveMemory(physical.card, bytes);
    }
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *handle = AddPhysical(physical);
  return CUDA_SUCCESS;
}

CUresult Map(const Entry& entry, CUdeviceptr address, std::uint64_t bytes, std::uint64_t offset,
             Handle handle) {
  Physical* const physical = PhysicalOf(handle);
  if (physical == nullptr || offset != 0 || bytes == 0 || bytes > physical->bytes ||
      bytes % kGranule != 0 || !InReserved(address, bytes)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  AddressSpace& space = AddressSpace::Get();
  const auto after = space.ranges().lower_bound(address);
  if (space.Find(address) != nullptr ||
      (after != space.ranges().end() && after->first < address + bytes)) {
    return CUDA_ERROR_INVALID_VALUE;  // something is mapped there
  }
  if (mmap(reinterpret_cast<void*>(address), bytes, PROT_NONE,
           MAP_SHARED | MAP_FIXED | MAP_NORESERVE, physical->file, 0) == MAP_FAILED) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  Range range;
  range.kind = MemoryKind::kMapped;
  range.base = address;
  range.size = bytes;
  range.card = physical->card;
  range.context = entry.context();
  range.accessible = false;
  range.owner = reinterpret_cast<void*>(handle);
  space.Add(range);
  ++physical->mappings;
  return CUDA_SUCCESS;
}

// Whole mappings that fill the range exactly; empty when it is not so.
std::vector<CUdeviceptr> MappingsIn(CUdeviceptr address, std::uint64_t bytes) {
  std::vector<CUdeviceptr> found;
  CUdeviceptr at = address;
  while (at < address + bytes) {
    const Range* const range = AddressSpace::Get().At(at);
    if (range == nullptr || range->kind != MemoryKind::kMapped ||
        range->size > address + bytes - at) {
      return {};
    }
    found.push_back(at);
    at += range->size;
  }
  return found;
}

CUresult Unmap(const Entry& entry, CUdeviceptr address, std::uint64_t bytes) {
  const std::vector<CUdeviceptr> mappings = MappingsIn(address, bytes);
  if (mappings.empty()) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  for (const CUdeviceptr each : mappings) {
    const Range range = *AddressSpace::Get().At(each);
    mmap(reinterpret_cast<void*>(each), range.size, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    AddressSpace::Get().Remove(each);
    const auto handle = reinterpret_cast<Handle>(range.owner);
    --Physicals()[handle].mappings;
    EndIfUnused(entry, handle);
  }
  return CUDA_SUCCESS;
}

CUresult SetAccess(CUdeviceptr address, std::uint64_t bytes, const CUmemAccessDesc* wanted,
                   std::size_t count) {
  const std::vector<CUdeviceptr> mappings = MappingsIn(address, bytes);
  if (mappings.empty() || wanted == nullptr || count == 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  bool any = false;
  for (std::size_t i = 0; i < count; ++i) {
    any = any || wanted[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE;
  }
  for (const CUdeviceptr each : mappings) {
    Range& range = *AddressSpace::Get().At(each);
    mprotect(reinterpret_cast<void*>(each), range.size, any ? PROT_READ | PROT_WRITE : PROT_NONE);
    range.accessible = any;
    range.flags = static_cast<unsigned>(wanted[0].flags);
  }
  return CUDA_SUCCESS;
}

CUresult Export(void* out, Handle handle, CUmemAllocationHandleType type) {
  const Physical* const physical = PhysicalOf(handle);
  if (physical == nullptr || out == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ||
      (physical->properties.requestedHandleTypes & type) == 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const int descriptor = dup(physical->file);
  if (descriptor < 0) {
    return CUDA_ERROR_OPERATING_SYSTEM;
  }
  std::memcpy(out, &descriptor, sizeof(descriptor));
  return CUDA_SUCCESS;
}

CUresult Import(const Entry& entry, Handle* handle, void* os_handle,
                CUmemAllocationHandleType type) {
  if (handle == nullptr || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const int descriptor = static_cast<int>(reinterpret_cast<std::intptr_t>(os_handle));
  const int block = JoinBlock(entry, descriptor);
  if (block < 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  Physical physical;
  physical.file = dup(descriptor);
  physical.block = block;
  physical.card = BlockOf(entry, block).card;
  physical.bytes = BlockOf(entry, block).bytes;
  physical.properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  physical.properties.requestedHandleTypes = type;
  physical.properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  for (int i = 0; entry.driver().Valid(i); ++i) {
    if (entry.driver().devices[i] == physical.card) {
      physical.properties.location.id = i;
    }
  }
  *handle = AddPhysical(physical);
  return CUDA_SUCCESS;
}

}  // namespace
}  // namespace aliquot::simgpu

using namespace aliquot::simgpu;  // the driver's functions are in no namespace

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, std::size_t bytes,
                     const CUmemAllocationProp* properties, unsigned long long flags) {
  SIM_ENTER(kDriver);
  return flags != 0 ? CUDA_ERROR_INVALID_VALUE : Create(entry, handle, bytes, properties);
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  SIM_ENTER(kDriver);
  Physical* const physical = PhysicalOf(handle);
  if (physical == nullptr || physical->handles == 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  --physical->handles;
  EndIfUnused(entry, handle);
  return CUDA_SUCCESS;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* address) {
  SIM_ENTER(kDriver);
  const Range* const range = AddressSpace::Get().Find(reinterpret_cast<CUdeviceptr>(address));
  if (handle == nullptr || range == nullptr || range->kind != MemoryKind::kMapped) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *handle = reinterpret_cast<CUmemGenericAllocationHandle>(range->owner);
  ++Physicals()[*handle].handles;
  return CUDA_SUCCESS;
}

CUresult cuMemAddressReserve(CUdeviceptr* address, std::size_t bytes, std::size_t, CUdeviceptr,
                             unsigned long long flags) {
  SIM_ENTER(kDriver);
  if (address == nullptr || bytes == 0 || bytes % kGranule != 0 || flags != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const CUdeviceptr base = MapPages(bytes, false);
  if (base == 0) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  Reserved()[base] = bytes;
  *address = base;
  return CUDA_SUCCESS;
}

CUresult cuMemAddressFree(CUdeviceptr address, std::size_t bytes) {
  SIM_ENTER(kDriver);
  const auto found = Reserved().find(address);
  if (found == Reserved().end() || found->second != bytes) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  UnmapPages(address, bytes);
  Reserved().erase(found);
  return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr address, std::size_t bytes, std::size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags) {
  SIM_ENTER(kDriver);
  return flags != 0 ? CUDA_ERROR_INVALID_VALUE : Map(entry, address, bytes, offset, handle);
}

CUresult cuMemUnmap(CUdeviceptr address, std::size_t bytes) {
  SIM_ENTER(kDriver);
  return Unmap(entry, address, bytes);
}

CUresult cuMemSetAccess(CUdeviceptr address, std::size_t bytes, const CUmemAccessDesc* wanted,
                        std::size_t count) {
  SIM_ENTER(kDriver);
  return SetAccess(address, bytes, wanted, count);
}

CUresult cuMemGetAccess(unsigned long long* flags, const CUmemLocation* location,
                        CUdeviceptr address) {
  SIM_ENTER(kDriver);
  const Range* const range = AddressSpace::Get().Find(address);
  if (flags == nullptr || location == nullptr || range == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *flags = range->accessible ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
  return CUDA_SUCCESS;
}

CUresult cuMemGetAllocationGranularity(std::size_t* bytes, const CUmemAllocationProp* properties,
                                       CUmemAllocationGranularity_flags) {
  SIM_ENTER(kDriver);
  if (bytes == nullptr || properties == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *bytes = kGranule;
  return CUDA_SUCCESS;
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* properties,
                                                CUmemGenericAllocationHandle handle) {
  SIM_ENTER(kDriver);
  const Physical* const physical = PhysicalOf(handle);
  if (properties == nullptr || physical == nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *properties = physical->properties;
  return CUDA_SUCCESS;
}

CUresult cuMemExportToShareableHandle(void* out, CUmemGenericAllocationHandle handle,
                                      CUmemAllocationHandleType type, unsigned long long flags) {
  SIM_ENTER(kDriver);
  return flags != 0 ? CUDA_ERROR_INVALID_VALUE : Export(out, handle, type);
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle* handle, void* os_handle,
                                        CUmemAllocationHandleType type) {
  SIM_ENTER(kDriver);
  return Import(entry, handle, os_handle, type);
}
