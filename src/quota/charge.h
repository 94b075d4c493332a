// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "quota/usage_region.h"

// How the processes of a container charge memory against its limit, without a lock and without a
// word that two of them write: each has its own slot, and a charge is admitted by the sum of all.
// A process that is killed at any instruction leaves its own slot as it was, and no one else's; a
// slot whose owner is gone counts nothing once somebody who is at the limit has cleared it.
//
// Rule: pending += n; read all slots, of each its pending before its committed; when the sum fits,
// committed += n, then pending -= n. When it does not, pending -= n; refused if what is committed
// alone leaves no room, tried again if only others' pending stood in the way. So of racing charges
// the sum never exceeds the limit, and one that fits alone is not refused for long.
//
// Thread-safe between threads of a process (each word is changed by atomic additions) and between
// processes. Every number in the region is a stranger's: sums stop at the largest number. Nothing
// here allocates, blocks, or calls the C library.

namespace aliquot::quota {

inline constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

// What a charge that does not fit asks of its process.
struct SlotReclaimer {
  // Clears every slot whose owner is gone (FORMAT.md, "Who owns a slot") and says how many. Called
  // at most once a charge, before it is refused.
  int (*reclaim)(void* context);
  // Lets another process run that is between its two steps; null: waits by spinning alone.
  void (*yield)();
  void* context;
};

enum class ChargeResult { kAdmitted, kOverLimit };

// Adds `bytes` to what the slot has committed on that card when all slots together then hold at
// most `limit`. Pre: slot < kUsageSlots, card < kMaxCards. kNoLimit: always admitted.
ChargeResult Charge(UsageRegion& region, std::size_t slot, std::size_t card, std::uint64_t bytes,
                    std::uint64_t limit, const SlotReclaimer& reclaimer);
// Of the `charged` bytes the driver gave `actual`; above the limit or not, they are held. The
// slot's peak follows.
void Settle(UsageRegion& region, std::size_t slot, std::size_t card, std::uint64_t charged,
            std::uint64_t actual);
// Committed bytes are given back, or the driver refused what was charged; never below 0.
void Refund(UsageRegion& region, std::size_t slot, std::size_t card, std::uint64_t bytes);
// Committed and pending of all slots.
std::uint64_t HeldBytes(const UsageRegion& region, std::size_t card);

// For the owner of a slot, before its first charge: others scan no further than this.
void RaiseHighWater(UsageRegion& region, std::size_t slot);
// Takes away what a former owner left. Pre: the caller holds the slot's lock.
void ClearSlot(UsageSlot& slot);
// Whether the slot holds memory of any card, or has an owner's number.
bool HoldsAnything(const UsageSlot& slot);

}  // namespace aliquot::quota
