// SPDX-License-Identifier: Apache-2.0
#include "quota/charge.h"

namespace aliquot::quota {
namespace {

// Tries while only others' pending bytes stand in the way: first by spinning (the other is on its
// way between two additions), then with the processor given up (it lost its own between them).
constexpr int kSpins = 32;
constexpr int kTries = 1024;

std::uint64_t Load(const std::uint64_t& word) { return __atomic_load_n(&word, __ATOMIC_SEQ_CST); }

// Sequentially consistent on purpose: of two that charge at once, at least one must see the
// other's pending bytes.
std::uint64_t Add(std::uint64_t& word, std::uint64_t bytes) {
  return __atomic_add_fetch(&word, bytes, __ATOMIC_SEQ_CST);
}

void Take(std::uint64_t& word, std::uint64_t bytes) {
  std::uint64_t seen = __atomic_load_n(&word, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&word, &seen, seen < bytes ? 0 : seen - bytes, true,
                                      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
  }
}

std::uint64_t SumOf(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? kNoLimit : sum;
}

// A slot is used only after its owner raised the mark, and the mark is read after the reader's own
// pending bytes can be seen: whoever raises it later sees those.
std::size_t SlotsInUse(const UsageRegion& region, std::size_t own) {
  const std::uint32_t mark = __atomic_load_n(&region.high_water, __ATOMIC_SEQ_CST);
  if (mark == 0 || mark > kUsageSlots) {
    return kUsageSlots;
  }
  return mark > own ? mark : own + 1;
}

struct Sums {
  std::uint64_t held = 0;  // committed and pending
  std::uint64_t committed = 0;
};

Sums Scan(const UsageRegion& region, std::size_t card, std::size_t slots) {
  Sums sums;
  for (std::size_t i = 0; i < slots; ++i) {
    const UsageCell& cell = region.slot[i].card[card];
    const std::uint64_t pending = Load(cell.pending_bytes);  // first: bytes move on to committed
    const std::uint64_t committed = Load(cell.committed_bytes);
    sums.committed = SumOf(sums.committed, committed);
    sums.held = SumOf(sums.held, SumOf(pending, committed));
  }
  return sums;
}

// Different for each slot and try, so that two that stood in each other's way do not meet again.
void BackOff(std::size_t slot, int attempt, const SlotReclaimer& reclaimer) {
  if (attempt >= kSpins && reclaimer.yield != nullptr) {
    reclaimer.yield();
  }
  const std::size_t pauses = (slot * 7 + static_cast<std::size_t>(attempt) * 13) % 61;
  for (std::size_t i = 0; i <= pauses; ++i) {
    __builtin_ia32_pause();
  }
}

}  // namespace

ChargeResult Charge(UsageRegion& region, std::size_t slot, std::size_t card, std::uint64_t bytes,
                    std::uint64_t limit, const SlotReclaimer& reclaimer) {
  UsageCell& own = region.slot[slot].card[card];
  if (limit == kNoLimit) {
    Add(own.committed_bytes, bytes);
    return ChargeResult::kAdmitted;
  }
  if (bytes > limit) {
    return ChargeResult::kOverLimit;
  }
  bool reclaimed = false;
  for (int attempt = 0;; ++attempt) {
    Add(own.pending_bytes, bytes);
    const Sums sums = Scan(region, card, SlotsInUse(region, slot));
    const bool fits = sums.held <= limit;
    if (fits) {
      Add(own.committed_bytes, bytes);
    }
    Take(own.pending_bytes, bytes);
    if (fits) {
      return ChargeResult::kAdmitted;
    }
    const bool full = SumOf(sums.committed, bytes) > limit;
    if ((full || attempt == kSpins) && !reclaimed) {
      reclaimed = true;
      if (reclaimer.reclaim != nullptr && reclaimer.reclaim(reclaimer.context) > 0) {
        continue;
      }
    }
    if (full || attempt >= kTries) {
      return ChargeResult::kOverLimit;
    }
    BackOff(slot, attempt, reclaimer);
  }
}

void Settle(UsageRegion& region, std::size_t slot, std::size_t card, std::uint64_t charged,
            std::uint64_t actual) {
  UsageCell& own = region.slot[slot].card[card];
  if (actual > charged) {
    Add(own.committed_bytes, actual - charged);
  } else if (actual < charged) {
    Take(own.committed_bytes, charged - actual);
  }
  const std::uint64_t now = Load(own.committed_bytes);
  std::uint64_t peak = __atomic_load_n(&own.peak_bytes, __ATOMIC_RELAXED);
  while (now > peak && !__atomic_compare_exchange_n(&own.peak_bytes, &peak, now, true,
                                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

void Refund(UsageRegion& region, std::size_t slot, std::size_t card, std::uint64_t bytes) {
  Take(region.slot[slot].card[card].committed_bytes, bytes);
}

std::uint64_t HeldBytes(const UsageRegion& region, std::size_t card) {
  return Scan(region, card, SlotsInUse(region, 0)).held;
}

void RaiseHighWater(UsageRegion& region, std::size_t slot) {
  const auto wanted = static_cast<std::uint32_t>(slot + 1);
  std::uint32_t seen = __atomic_load_n(&region.high_water, __ATOMIC_RELAXED);
  while ((seen < wanted || seen > kUsageSlots) &&
         !__atomic_compare_exchange_n(&region.high_water, &seen, wanted, true, __ATOMIC_SEQ_CST,
                                      __ATOMIC_RELAXED)) {
  }
}

void ClearSlot(UsageSlot& slot) {
  // What counts against the limit goes first: a clearing that is killed half-way has freed it.
  for (UsageCell& cell : slot.card) {
    __atomic_store_n(&cell.pending_bytes, 0, __ATOMIC_SEQ_CST);
    __atomic_store_n(&cell.committed_bytes, 0, __ATOMIC_SEQ_CST);
    __atomic_store_n(&cell.peak_bytes, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&cell.busy_ns, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&cell.launches, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&cell.throttled_ns, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&cell.denied, 0, __ATOMIC_RELAXED);
  }
  __atomic_store_n(&slot.pid, 0U, __ATOMIC_RELAXED);
  __atomic_store_n(&slot.version, 0U, __ATOMIC_RELAXED);
}

bool HoldsAnything(const UsageSlot& slot) {
  if (__atomic_load_n(&slot.pid, __ATOMIC_RELAXED) != 0) {
    return true;
  }
  for (const UsageCell& cell : slot.card) {
    if (Load(cell.pending_bytes) != 0 || Load(cell.committed_bytes) != 0) {
      return true;
    }
  }
  return false;
}

}  // namespace aliquot::quota
