// SPDX-License-Identifier: Apache-2.0
#include "quota/charge.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>

namespace aliquot::quota {
namespace {

constexpr SlotReclaimer kNobodyDied{nullptr, nullptr, nullptr};

std::unique_ptr<UsageRegion> Fresh() {
  auto region = std::make_unique<UsageRegion>();
  InitialiseUsage(*region);
  return region;
}

TEST(Charge, FillsTheLimitToTheLastByteAndRefusesOneMore) {
  const auto region = Fresh();
  EXPECT_EQ(Charge(*region, 0, 2, 60, 100, kNobodyDied), ChargeResult::kAdmitted);
  EXPECT_EQ(Charge(*region, 1, 2, 40, 100, kNobodyDied), ChargeResult::kAdmitted);
  EXPECT_EQ(Charge(*region, 1, 2, 1, 100, kNobodyDied), ChargeResult::kOverLimit);
  EXPECT_EQ(HeldBytes(*region, 2), 100U);
  EXPECT_EQ(HeldBytes(*region, 0), 0U);  // cards are apart
}

TEST(Charge, ARefusedOneLeavesNothingBehindSoTheNextSmallerOneFits) {
  const auto region = Fresh();
  ASSERT_EQ(Charge(*region, 0, 0, 60, 100, kNobodyDied), ChargeResult::kAdmitted);
  ASSERT_EQ(Charge(*region, 0, 0, 41, 100, kNobodyDied), ChargeResult::kOverLimit);
  EXPECT_EQ(Charge(*region, 0, 0, 40, 100, kNobodyDied), ChargeResult::kAdmitted);
  EXPECT_EQ(region->slot[0].card[0].pending_bytes, 0U);
}

TEST(Charge, WithoutALimitEverythingIsAdmittedAndCounted) {
  const auto region = Fresh();
  EXPECT_EQ(Charge(*region, 5, 0, std::uint64_t{1} << 50, kNoLimit, kNobodyDied),
            ChargeResult::kAdmitted);
  EXPECT_EQ(HeldBytes(*region, 0), std::uint64_t{1} << 50);
}

TEST(Charge, PaddingAboveTheLimitIsHeldAllTheSame) {
  const auto region = Fresh();
  ASSERT_EQ(Charge(*region, 0, 0, 100, 100, kNobodyDied), ChargeResult::kAdmitted);
  Settle(*region, 0, 0, 100, 112);
  EXPECT_EQ(HeldBytes(*region, 0), 112U);
  EXPECT_EQ(region->slot[0].card[0].peak_bytes, 112U);
  EXPECT_EQ(Charge(*region, 0, 0, 1, 100, kNobodyDied), ChargeResult::kOverLimit);
}

TEST(Charge, WhatTheDriverDidNotGiveIsTakenBackAndThePeakStays) {
  const auto region = Fresh();
  ASSERT_EQ(Charge(*region, 0, 0, 70, 100, kNobodyDied), ChargeResult::kAdmitted);
  Settle(*region, 0, 0, 70, 70);
  ASSERT_EQ(Charge(*region, 0, 0, 20, 100, kNobodyDied), ChargeResult::kAdmitted);
  Refund(*region, 0, 0, 20);  // the driver refused: 90 were never held
  EXPECT_EQ(HeldBytes(*region, 0), 70U);
  EXPECT_EQ(region->slot[0].card[0].peak_bytes, 70U);
}

TEST(Charge, MoreIsNeverGivenBackThanIsHeld) {
  const auto region = Fresh();
  ASSERT_EQ(Charge(*region, 0, 0, 10, 100, kNobodyDied), ChargeResult::kAdmitted);
  Refund(*region, 0, 0, 11);
  EXPECT_EQ(HeldBytes(*region, 0), 0U);
}

TEST(Charge, AtTheLimitTheDeadAreClearedOnceAndTheChargeIsTriedAgain) {
  const auto region = Fresh();
  region->slot[7].card[0].committed_bytes = 80;
  region->slot[7].card[0].pending_bytes = 5;  // killed between its two steps
  struct Context {
    UsageRegion& region;
    int calls;
  } context{*region, 0};
  const SlotReclaimer reclaimer{[](void* argument) {
                                  auto& it = *static_cast<Context*>(argument);
                                  ++it.calls;
                                  ClearSlot(it.region.slot[7]);
                                  return it.calls == 1 ? 1 : 0;
                                },
                                nullptr, &context};
  EXPECT_EQ(Charge(*region, 0, 0, 15, 100, reclaimer), ChargeResult::kAdmitted);
  EXPECT_EQ(context.calls, 0);  // it fitted: nobody was asked
  EXPECT_EQ(Charge(*region, 0, 0, 85, 100, reclaimer), ChargeResult::kAdmitted);
  EXPECT_EQ(context.calls, 1);
  EXPECT_EQ(Charge(*region, 0, 0, 1, 100, reclaimer), ChargeResult::kOverLimit);
  EXPECT_EQ(context.calls, 2);
}

TEST(Charge, PendingBytesOfADeadSlotDoNotBlockForEver) {
  const auto region = Fresh();
  region->slot[3].card[0].pending_bytes = 100;
  const SlotReclaimer reclaimer{[](void* argument) {
                                  ClearSlot(static_cast<UsageRegion*>(argument)->slot[3]);
                                  return 1;
                                },
                                nullptr, region.get()};
  EXPECT_EQ(Charge(*region, 0, 0, 50, 100, reclaimer), ChargeResult::kAdmitted);
}

TEST(Charge, PendingBytesThatStayEndInARefusal) {
  const auto region = Fresh();
  region->slot[3].card[0].pending_bytes = 100;
  EXPECT_EQ(Charge(*region, 0, 0, 50, 100, kNobodyDied), ChargeResult::kOverLimit);
}

TEST(Charge, HugeNumbersOfAStrangerStopAtTheLargestInsteadOfWrapping) {
  const auto region = Fresh();
  region->slot[1].card[0].committed_bytes = kNoLimit;
  region->slot[2].card[0].committed_bytes = kNoLimit;
  region->slot[3].card[0].pending_bytes = 2;  // the sum would wrap to 0 and fit
  EXPECT_EQ(HeldBytes(*region, 0), kNoLimit);
  EXPECT_EQ(Charge(*region, 0, 0, 1, 100, kNobodyDied), ChargeResult::kOverLimit);
}

TEST(Charge, AWholeRegionOfOnesIsRefusedAndNotRead) {
  const auto region = Fresh();
  std::memset(region.get(), 0xff, sizeof *region);  // high water far past the last slot
  EXPECT_EQ(Charge(*region, 63, 15, 1, 100, kNobodyDied), ChargeResult::kOverLimit);
  EXPECT_EQ(HeldBytes(*region, 15), kNoLimit);
}

TEST(HighWater, OnlyRisesAndIsNotBelievedWhenItIsNonsense) {
  const auto region = Fresh();
  RaiseHighWater(*region, 3);
  EXPECT_EQ(region->high_water, 4U);
  RaiseHighWater(*region, 1);
  EXPECT_EQ(region->high_water, 4U);
  region->high_water = 65;
  region->slot[63].card[0].committed_bytes = 9;
  EXPECT_EQ(HeldBytes(*region, 0), 9U);  // all slots are read
  RaiseHighWater(*region, 1);
  EXPECT_EQ(region->high_water, 2U);
}

TEST(HighWater, TheOwnSlotCountsWhateverTheMarkSays) {
  const auto region = Fresh();
  region->high_water = 1;
  ASSERT_EQ(Charge(*region, 9, 0, 60, 100, kNobodyDied), ChargeResult::kAdmitted);
  EXPECT_EQ(Charge(*region, 9, 0, 60, 100, kNobodyDied), ChargeResult::kOverLimit);
}

TEST(Slot, AClearedOneHoldsNothingAndKeepsItsGeneration) {
  const auto region = Fresh();
  UsageSlot& slot = region->slot[0];
  std::memset(static_cast<void*>(&slot), 0x55, sizeof slot);
  slot.generation = 7;
  EXPECT_TRUE(HoldsAnything(slot));
  ClearSlot(slot);
  EXPECT_FALSE(HoldsAnything(slot));
  EXPECT_EQ(slot.generation, 7U);
  EXPECT_EQ(slot.card[15].busy_ns, 0U);
}

}  // namespace
}  // namespace aliquot::quota
