// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "tests/simgpu/cuda/driver.h"

// Device memory of the process. Every address is backed by pages of the host, taken when they are
// touched, so that what is copied there can be read back; a card's bytes are only counted.

namespace aliquot::simgpu {

enum class MemoryKind { kDevice, kManaged, kHost, kRegistered, kPool, kIpc, kMapped, kGraph };

// What lies at one address.
struct Range {
  MemoryKind kind = MemoryKind::kDevice;
  CUdeviceptr base = 0;
  std::uint64_t size = 0;      // as asked for
  std::uint64_t reserved = 0;  // of the address space; 0 = not ours to unmap
  std::uint64_t charged = 0;   // of the card, when the range is charged by itself
  int card = -1;
  CUcontext context = nullptr;
  unsigned flags = 0;
  std::uint64_t id = 0;
  void* owner = nullptr;  // pool, mapping, ..
  int block = -1;         // shared with other processes
  bool accessible = true;
  CUdeviceptr small_chunk = 0;  // the 2 MiB that a small allocation lies in
  bool sync_memops = false;
  std::uint64_t offset = 0;  // in the file of a pool
};

inline constexpr std::uint64_t kGranule = 2ULL << 20;
inline constexpr std::uint64_t kAlignment = 512;
inline std::uint64_t RoundUp(std::uint64_t bytes, std::uint64_t to) {
  return (bytes + to - 1) / to * to;
}

// The process's ranges by address. Belongs to the process's lock.
class AddressSpace {
 public:
  static AddressSpace& Get();
  Range* Find(CUdeviceptr address);  // that contains it
  Range* At(CUdeviceptr base);       // that begins there
  Range& Add(Range range);
  void Remove(CUdeviceptr base) { ranges_.erase(base); }
  std::map<CUdeviceptr, Range>& ranges() { return ranges_; }

 private:
  std::map<CUdeviceptr, Range> ranges_;
  std::uint64_t next_id_ = 1;
};

// Pages without backing yet; 0 = no address space left. `low`: below 2 GiB, for the functions of
// CUDA 2, whose pointers have 32 bits.
CUdeviceptr MapPages(std::uint64_t bytes, bool accessible, bool low = false);
void UnmapPages(CUdeviceptr base, std::uint64_t bytes);

// Memory of the card of a context. `low` as above.
CUresult AllocateDevice(const Entry& entry, std::uint64_t bytes, CUdeviceptr* pointer,
                        bool low = false);
CUresult FreeDevice(const Entry& entry, CUdeviceptr pointer);
// Everything that an ending context held.
void FreeAllOf(const Entry& entry, CUcontext context);

// Whether all bytes may be copied to or from: memory of the driver, or of the host.
bool DeviceBytes(CUdeviceptr address, std::uint64_t bytes);

}  // namespace aliquot::simgpu
