// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "interposer/allocation_table.h"
#include "interposer/container.h"
#include "interposer/cuda_memory_types.h"
#include "interposer/hook.h"
#include "interposer/memory_charge.h"
#include "interposer/pool_memory.h"

// How the hooks of memory charge an allocation around the driver's call and give it back around the
// driver's release. `Driver` is a call that takes no arguments and answers with the driver's code.

namespace aliquot::interposer {

// Where the calling thread's allocations land.
struct Place {
  int card;  // -1: no context, or another's card: the driver answers alone
  CUcontext context;
};
Place CurrentPlace();

// `bytes` are what is asked for; 0: nothing to charge. `described` gives, after the driver's
// success, the entry's key and its true bytes; `undo` gives the memory back to the driver.
struct Described {
  std::uint64_t key;
  std::uint64_t bytes;
};

template <typename Driver, typename Describe, typename Undo>
CUresult AllocateAt(const Place& place, AllocationKind kind, std::uint64_t bytes, Driver driver,
                    Describe described, Undo undo) {
  if (place.card < 0 || bytes == 0) {
    return driver();
  }
  MemoryCharge charge(place.card, bytes);
  if (!Admit(charge, place.card)) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  const CUresult result = driver();
  if (result != CUDA_SUCCESS) {
    return result;
  }
  const Described given = described();
  // The rows of a pitched allocation may be padded to many times what was asked for.
  const std::uint64_t more = given.bytes > bytes ? given.bytes - bytes : 0;
  MemoryCharge padding(more == 0 ? -1 : place.card, more);
  if (!Admit(padding, place.card)) {
    undo();
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  const auto context = reinterpret_cast<std::uint64_t>(place.context);
  const Allocation entry{kind,   static_cast<std::int8_t>(place.card), 0, 1, given.key, given.bytes,
                         context};
  if (!Allocations().Remember(entry)) {
    undo();
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  padding.Commit(more);
  charge.Commit(given.bytes - more);
  return result;
}

// The entry is taken out before the driver is asked, since the driver may give the same address to
// another thread at once; so of two that release one pointer, one gives back. `gone` is the code by
// which the driver says that it does not know the pointer (any more).
template <typename Driver>
CUresult ReleaseOf(AllocationKind kind, std::uint64_t key, CUresult gone, Driver driver) {
  Allocation was{};
  if (!Allocations().Forget(kind, key, was)) {
    return driver();
  }
  const CUresult result = driver();
  if (result != CUDA_SUCCESS && result != gone) {
    Allocations().Remember(was);
  } else if (was.flags != kFromPool) {
    Refund(was.card, was.bytes);
  }
  return result;
}

}  // namespace aliquot::interposer
