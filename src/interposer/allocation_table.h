// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "interposer/lock.h"

// What this process has allocated, so that a release gives back what was charged. Thread-safe; a
// child of a fork begins with none, as CUDA does. Grows by anonymous mappings, never by the heap.

namespace aliquot::interposer {

enum class AllocationKind : std::uint8_t {
  kNone,      // a free place of the table
  kPointer,   // CUdeviceptr of linear, pitched and managed memory
  kArray,     // CUarray
  kMipmap,    // CUmipmappedArray
  kPhysical,  // CUmemGenericAllocationHandle
  kMapping,   // an address that a physical allocation is mapped at
  kPool,      // CUmemoryPool, and the driver's own pool of graph memory by device
  kGraphExec,
};

struct Allocation {
  AllocationKind kind;
  std::int8_t card;     // -1 = of no card with a limit
  std::uint16_t flags;  // the kind's own
  std::uint32_t count;  // the kind's own: references, changes
  std::uint64_t key;    // address or handle
  std::uint64_t bytes;
  std::uint64_t other;  // the kind's own: the context, the handle that is mapped, ..
};
static_assert(sizeof(Allocation) == 32);

// What a change wants done with the entry.
enum class Fate { kKeep, kRemove };

// All zero is an empty table. In parts, so that threads seldom meet.
class AllocationTable {
 public:
  // Adds, or replaces what the key had. False: no memory for the table's growth; the allocation is
  // then given back to the driver, since it could never be refunded.
  bool Remember(const Allocation& allocation);
  // Removes it and returns true, or false for a stranger: a pointer that the driver may or may not
  // know. Of two that release one pointer at once one gets it.
  bool Forget(AllocationKind kind, std::uint64_t key, Allocation& was);
  bool Find(AllocationKind kind, std::uint64_t key, Allocation& found);
  // Calls `change` under the entry's lock; it must not call the driver or the table. False when
  // there is no such entry.
  bool Change(AllocationKind kind, std::uint64_t key, Fate (*change)(Allocation&, void*),
              void* context);
  // Calls `change` for each of a kind, in no order and part by part: an entry that moves meanwhile
  // is seen once at least only if it was there all the time. Same rule for `change`.
  void ChangeAll(AllocationKind kind, Fate (*change)(Allocation&, void*), void* context);
  // Gives its memory back: an empty table again. Nobody else may use it meanwhile.
  void Clear();

 private:
  static constexpr std::size_t kParts = 16;

  struct Part {
    Lock lock;
    std::uint32_t used;
    std::size_t capacity;  // a power of two; 0 at first
    Allocation* places;

    bool Grow();
    std::size_t PlaceOf(AllocationKind kind, std::uint64_t key) const;
    void RemoveAt(std::size_t at);
  };

  Part& PartOf(AllocationKind kind, std::uint64_t key);

  Part part_[kParts];
};

// The process's own.
AllocationTable& Allocations();

}  // namespace aliquot::interposer
