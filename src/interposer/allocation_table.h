// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// What this process has allocated, so that a release gives back what was charged. Thread-safe; a
// child of a fork begins with none, as CUDA does. Grows by anonymous mappings, never by the heap.

namespace aliquot::interposer {

enum class AllocationKind : std::uint8_t {
  kPointer,  // CUdeviceptr of linear, pitched and managed memory, and arrays by handle
  kArray,
  kMipmap,
  kPhysical,  // CUmemGenericAllocationHandle
  kMapping,   // an address that a physical allocation is mapped at
  kPool,
  kGraphExec,
};

struct Allocation {
  AllocationKind kind;
  std::int8_t card;     // -1 = of no card with a limit
  std::uint16_t flags;  // the kind's own
  std::uint32_t count;  // the kind's own: references
  std::uint64_t key;    // address or handle
  std::uint64_t bytes;
  std::uint64_t other;  // the kind's own: the handle that is mapped
};

// Adds, or replaces what the key had. False: no room for the table's growth; the allocation is then
// given back to the driver, since it could never be refunded.
bool Remember(const Allocation& allocation);
// Removes it and returns true, or false for a stranger: a pointer that the driver may or may not
// know. Two that release one pointer at once: one gets it.
bool Forget(AllocationKind kind, std::uint64_t key, Allocation& was);
bool Find(AllocationKind kind, std::uint64_t key, Allocation& found);
// Calls `change(allocation, context)` under the entry's lock; must not call the driver. False when
// there is none.
bool Change(AllocationKind kind, std::uint64_t key, void (*change)(Allocation&, void*),
            void* context);
// Calls `visit` for each of a kind, in no order, until it returns false; must not call the driver
// or the table.
void Visit(AllocationKind kind, bool (*visit)(const Allocation&, void*), void* context);

}  // namespace aliquot::interposer
