// SPDX-License-Identifier: Apache-2.0
#include "tests/simgpu/cuda/memory.h"

#include <sys/mman.h>

#include <iterator>
#include <utility>

namespace aliquot::simgpu {
namespace {

// Small allocations of one context share blocks of 2 MiB, as a real driver's do: what the card
// shows as used grows only with a new block. Free places of a block by their offset.
struct SmallChunk {
  CUcontext context = nullptr;
  bool low = false;
  std::map<std::uint64_t, std::uint64_t> free;  // offset -> bytes
};

std::map<CUdeviceptr, SmallChunk>& SmallChunks() {
  static auto* const chunks = new std::map<CUdeviceptr, SmallChunk>;
  return *chunks;
}

// A place in one of the context's chunks, or 0.
CUdeviceptr TakeSmall(CUcontext context, std::uint64_t bytes, bool low, CUdeviceptr& chunk) {
  for (auto& [base, each] : SmallChunks()) {
    if (each.context != context || each.low != low) {
      continue;
    }
    for (auto place = each.free.begin(); place != each.free.end(); ++place) {
      const auto [offset, room] = *place;
      if (room < bytes) {
        continue;
      }
      each.free.erase(place);
      if (room > bytes) {
        each.free[offset + bytes] = room - bytes;
      }
      chunk = base;
      return base + offset;
    }
  }
  return 0;
}

void GiveSmall(CUdeviceptr chunk, CUdeviceptr pointer, std::uint64_t bytes) {
  auto& free = SmallChunks()[chunk].free;
  auto at = free.emplace(pointer - chunk, bytes).first;
  const auto next = std::next(at);
  if (next != free.end() && at->first + at->second == next->first) {
    at->second += next->second;
    free.erase(next);
  }
  if (at != free.begin()) {
    const auto before = std::prev(at);
    if (before->first + before->second == at->first) {
      before->second += at->second;
      free.erase(at);
    }
  }
}

bool ChunkIsEmpty(CUdeviceptr chunk) {
  const auto& free = SmallChunks()[chunk].free;
  return free.size() == 1 && free.begin()->second == kGranule;
}

CUresult AllocateSmall(const Entry& entry, std::uint64_t bytes, bool low, Range& range) {
  const std::uint64_t rounded = RoundUp(bytes, kAlignment);
  range.base = TakeSmall(entry.context(), rounded, low, range.small_chunk);
  if (range.base != 0) {
    return CUDA_SUCCESS;
  }
  if (!entry.driver().TakeMemory(entry.card(), kGranule)) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  const CUdeviceptr chunk = MapPages(kGranule, true, low);
  if (chunk == 0) {
    entry.driver().GiveMemory(entry.card(), kGranule);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  SmallChunks()[chunk] = {entry.context(), low, {{0, kGranule}}};
  range.base = TakeSmall(entry.context(), rounded, low, range.small_chunk);
  return CUDA_SUCCESS;
}

CUresult AllocateLarge(const Entry& entry, std::uint64_t bytes, bool low, Range& range) {
  range.charged = range.reserved = RoundUp(bytes, kGranule);
  if (!entry.driver().TakeMemory(entry.card(), range.charged)) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  range.base = MapPages(range.reserved, true, low);
  if (range.base == 0) {
    entry.driver().GiveMemory(entry.card(), range.charged);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  return CUDA_SUCCESS;
}

}  // namespace

AddressSpace& AddressSpace::Get() {
  static auto* const space = new AddressSpace;
  return *space;
}

Range* AddressSpace::Find(CUdeviceptr address) {
  auto after = ranges_.upper_bound(address);
  if (after == ranges_.begin()) {
    return nullptr;
  }
  Range& range = std::prev(after)->second;
  return address - range.base < range.size ? &range : nullptr;
}

Range* AddressSpace::At(CUdeviceptr base) {
  const auto found = ranges_.find(base);
  return found == ranges_.end() ? nullptr : &found->second;
}

Range& AddressSpace::Add(Range range) {
  range.id = next_id_++;
  return ranges_[range.base] = range;
}

CUdeviceptr MapPages(std::uint64_t bytes, bool accessible, bool low) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (low ? MAP_32BIT : 0);
  // Room to begin at a multiple of 2 MiB.
  const std::uint64_t wanted = bytes + kGranule;
  if (wanted < bytes) {
    return 0;
  }
  void* const place =
      mmap(nullptr, wanted, accessible ? PROT_READ | PROT_WRITE : PROT_NONE, flags, -1, 0);
  if (place == MAP_FAILED) {
    return 0;
  }
  const auto start = reinterpret_cast<CUdeviceptr>(place);
  const CUdeviceptr base = RoundUp(start, kGranule);
  if (base != start) {
    munmap(place, base - start);
  }
  if (start + wanted != base + bytes) {
    munmap(reinterpret_cast<void*>(base + bytes), start + wanted - base - bytes);
  }
  return base;
}

void UnmapPages(CUdeviceptr base, std::uint64_t bytes) {
  munmap(reinterpret_cast<void*>(base), bytes);
}

CUresult AllocateDevice(const Entry& entry, std::uint64_t bytes, CUdeviceptr* pointer, bool low) {
  if (pointer == nullptr || bytes == 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (bytes > entry.world().layout().card[entry.card()].memory) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  Range range;
  range.size = bytes;
  range.card = entry.card();
  range.context = entry.context();
  const CUresult answer = bytes < kGranule ? AllocateSmall(entry, bytes, low, range)
                                           : AllocateLarge(entry, bytes, low, range);
  if (answer == CUDA_SUCCESS) {
    *pointer = AddressSpace::Get().Add(range).base;
  }
  return answer;
}

CUresult FreeDevice(const Entry& entry, CUdeviceptr pointer) {
  const Range* const found = AddressSpace::Get().At(pointer);
  if (found == nullptr ||
      (found->kind != MemoryKind::kDevice && found->kind != MemoryKind::kManaged)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const Range range = *found;
  AddressSpace::Get().Remove(pointer);
  if (range.block >= 0) {
    const WorldLock lock(entry.world());
    DropBlock(entry.world().layout(), range.block, entry.driver().process, 1);
  } else if (range.charged != 0) {
    entry.driver().GiveMemory(range.card, range.charged);
  }
  if (range.reserved != 0) {
    UnmapPages(range.base, range.reserved);
    return CUDA_SUCCESS;
  }
  GiveSmall(range.small_chunk, pointer, RoundUp(range.size, kAlignment));
  if (ChunkIsEmpty(range.small_chunk)) {
    SmallChunks().erase(range.small_chunk);
    UnmapPages(range.small_chunk, kGranule);
    entry.driver().GiveMemory(range.card, kGranule);
  }
  return CUDA_SUCCESS;
}

void FreeAllOf(const Entry& entry, CUcontext context) {
  std::vector<CUdeviceptr> all;
  for (const auto& [base, range] : AddressSpace::Get().ranges()) {
    if (range.context == context &&
        (range.kind == MemoryKind::kDevice || range.kind == MemoryKind::kManaged)) {
      all.push_back(base);
    }
  }
  for (const CUdeviceptr each : all) {
    FreeDevice(entry, each);
  }
}

bool DeviceBytes(CUdeviceptr address, std::uint64_t bytes) {
  const Range* const range = AddressSpace::Get().Find(address);
  return range != nullptr && range->accessible && bytes <= range->size - (address - range->base);
}

}  // namespace aliquot::simgpu
