// SPDX-License-Identifier: Apache-2.0
#pragma once

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

// Whether a living process owns a slot, and clearing one that is dead; see FORMAT.md, "Who owns a
// slot". Called only when a charge is at the limit.
struct SlotReclaimer {
  // Clears every slot that nobody owns any more; returns how many.
  int (*reclaim)(void* context);
  void* context;
};

enum class ChargeResult { kAdmitted, kOverLimit };

// Moves `bytes` into the slot's pending_bytes of that card when all slots together then hold at
// most `limit`. Pre: slot < kUsageSlots, card < kMaxCards. ~0 as limit: always admitted.
ChargeResult Charge(UsageRegion& region, std::size_t slot, std::size_t card, std::uint64_t bytes,
                    std::uint64_t limit, const SlotReclaimer& reclaimer);
// What was pending is held, as `actual` bytes; the peak follows.
void Settle(UsageRegion& region, std::size_t slot, std::size_t card, std::uint64_t pending,
            std::uint64_t actual);
// The driver refused: what was pending is not asked for any more.
void CancelCharge(UsageRegion& region, std::size_t slot, std::size_t card, std::uint64_t pending);
// Held bytes are given back; never below 0.
void Refund(UsageRegion& region, std::size_t slot, std::size_t card, std::uint64_t bytes);
// Committed and pending of all slots.
std::uint64_t HeldBytes(const UsageRegion& region, std::size_t card);

}  // namespace aliquot::quota
