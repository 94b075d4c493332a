// SPDX-License-Identifier: Apache-2.0
#include "interposer/memory_charge.h"

#include "interposer/container.h"
#include "interposer/pool_memory.h"
#include "quota/charge.h"

namespace aliquot::interposer {
namespace {

std::size_t Index(int number) { return static_cast<std::size_t>(number); }

std::uint64_t LimitNow(int card) {
  const MemoryLimit limit = MemoryLimitOf(card);
  if (limit.bytes == quota::kNoLimit) {
    return quota::kNoLimit;
  }
  return limit.bytes > limit.overhead ? limit.bytes - limit.overhead : 0;
}

}  // namespace

MemoryCharge::MemoryCharge(int card, std::uint64_t bytes) : card_(card), bytes_(bytes) {
  TryAgain();
}

bool MemoryCharge::TryAgain() {
  if (card_ < 0) {
    admitted_ = true;
    return true;
  }
  const int slot = OwnSlot();
  admitted_ =
      slot >= 0 && quota::Charge(Region(), Index(slot), Index(card_), bytes_, LimitNow(card_),
                                 DeadSlots()) == quota::ChargeResult::kAdmitted;
  return admitted_;
}

bool MemoryCharge::TryLess(std::uint64_t bytes) {
  bytes_ = bytes;
  return TryAgain();
}

MemoryCharge::~MemoryCharge() {
  const int slot = card_ < 0 || settled_ ? -1 : OwnSlot();
  if (slot < 0) {
    return;
  }
  if (admitted_) {
    quota::Refund(Region(), Index(slot), Index(card_), bytes_);
  } else {
    __atomic_fetch_add(&Region().slot[slot].card[card_].denied, 1, __ATOMIC_RELAXED);
  }
}

void MemoryCharge::Commit(std::uint64_t bytes) {
  if (card_ >= 0) {
    quota::Settle(Region(), Index(OwnSlot()), Index(card_), bytes_, bytes);
  }
  settled_ = true;
}

void Hold(int card, std::uint64_t bytes) {
  const int slot = card < 0 ? -1 : OwnSlot();
  if (slot >= 0) {
    quota::Settle(Region(), Index(slot), Index(card), 0, bytes);
  }
}

void Refund(int card, std::uint64_t bytes) {
  const int slot = card < 0 ? -1 : OwnSlot();
  if (slot >= 0) {
    quota::Refund(Region(), Index(slot), Index(card), bytes);
  }
}

std::uint64_t HeldBytes(int card) {
  SettlePools(card);
  const quota::SlotReclaimer dead = DeadSlots();
  dead.reclaim(dead.context);
  const std::uint64_t held = quota::HeldBytes(Region(), Index(card));
  std::uint64_t all = 0;
  return __builtin_add_overflow(held, MemoryLimitOf(card).overhead, &all) ? quota::kNoLimit : all;
}

MemoryView ViewOf(int card, std::uint64_t driver_total, std::uint64_t driver_free) {
  const std::uint64_t limit = MemoryLimitOf(card).bytes;
  if (limit == quota::kNoLimit) {
    return {driver_total, driver_free};
  }
  const std::uint64_t total = limit < driver_total ? limit : driver_total;
  const std::uint64_t held = HeldBytes(card);
  const std::uint64_t left = held < total ? total - held : 0;
  return {total, left < driver_free ? left : driver_free};
}

}  // namespace aliquot::interposer
