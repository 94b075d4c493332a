// SPDX-License-Identifier: Apache-2.0
#include "agent/enforcement/time_correction.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>

namespace aliquot::agent {
namespace {

constexpr std::int64_t kMs = 1'000'000;
using Driver = TimeCorrection::DriverTime;

class TimeCorrectionTest : public ::testing::Test {
 protected:
  TimeCorrectionTest() {
    quota::InitialiseUsage(*usage_);
    correction_.Look(*usage_, 0, std::nullopt, false);
  }
  void Claim(std::size_t slot, std::int64_t ms) {
    usage_->slot[slot].card[0].busy_ns += static_cast<std::uint64_t>(ms * kMs);
  }
  void Look(std::int64_t driver_ms, bool ended = false) {
    correction_.Look(*usage_, 0, Driver{static_cast<std::uint64_t>(driver_ms * kMs), 0}, ended);
  }
  std::int64_t Ms() const { return correction_.ns() / kMs; }

  std::unique_ptr<quota::UsageRegion> usage_ = std::make_unique<quota::UsageRegion>();
  TimeCorrection correction_;
};

TEST_F(TimeCorrectionTest, WhatTheDriverCountsBeyondTheClaimsIsAddedUpAtOnce) {
  Claim(0, 10);
  Look(40);
  EXPECT_EQ(Ms(), 30);
  Claim(0, 10);
  Look(15);
  EXPECT_EQ(Ms(), 35);
}

TEST_F(TimeCorrectionTest, ClaimsThatWaitInQueuesAreNotGivenBack) {
  Claim(0, 100);  // launched, not run
  Look(0);
  EXPECT_EQ(Ms(), 0);
  Look(60);
  Look(40);
  EXPECT_EQ(Ms(), 0);
}

TEST_F(TimeCorrectionTest, ClaimsThatStayTooHighAreGivenBackAfterFiveLooks) {
  Claim(0, 100);
  for (int i = 0; i < 4; ++i) {
    Look(i == 0 ? 20 : 0);
    EXPECT_EQ(Ms(), 0);
  }
  Look(0);
  EXPECT_EQ(Ms(), -80);
}

TEST_F(TimeCorrectionTest, ALookWithoutTheDriverChangesNothing) {
  Claim(0, 50);
  correction_.Look(*usage_, 0, std::nullopt, false);
  Look(0);
  EXPECT_EQ(Ms(), 0);
  Claim(0, 10);
  Look(30);
  EXPECT_EQ(Ms(), 20);
}

TEST_F(TimeCorrectionTest, AProcessThatEndedIsTakenAtItsWordWhereTheDriverSawLess) {
  for (int i = 0; i < 20; ++i) {
    usage_->slot[0].generation += 1;  // another process each time, gone before the driver looked
    usage_->slot[0].card[0].busy_ns = 150 * kMs;
    Look(0, true);
  }
  EXPECT_EQ(Ms(), 0);
}

TEST_F(TimeCorrectionTest, AReusedSlotCountsFromNothing) {
  Claim(0, 500);
  Look(500);
  usage_->slot[0].generation += 1;
  usage_->slot[0].card[0].busy_ns = 20 * kMs;
  Look(50);
  EXPECT_EQ(Ms(), 30);  // not 50 + 480
}

TEST_F(TimeCorrectionTest, LaunchesChargedLessAfterwardsCountAsLess) {
  Claim(0, 100);
  Look(10);
  Claim(0, -90);  // the library found the estimate wrong and put it right
  Look(0);
  for (int i = 0; i < 5; ++i) {
    Look(0);
  }
  EXPECT_EQ(Ms(), 0);
}

TEST_F(TimeCorrectionTest, WhatHeldBeforeTheAgentBeganGoesOn) {
  TimeCorrection carried(70 * kMs);
  Claim(0, 900);
  carried.Look(*usage_, 0, Driver{0, 0}, false);  // where to count from
  EXPECT_EQ(carried.ns() / kMs, 70);
  carried.Look(*usage_, 0, Driver{5 * kMs, 0}, false);
  EXPECT_EQ(carried.ns() / kMs, 75);
}

TEST_F(TimeCorrectionTest, ClaimsWithinTheDriversRoundingAreLeftAlone) {
  // 2 ms of a look of 200 ms is one percent: the driver says 20 where 20 to 22 may have run.
  for (int i = 0; i < 40; ++i) {
    Claim(0, 21);
    correction_.Look(*usage_, 0, Driver{20 * kMs, 2 * kMs}, false);
    EXPECT_EQ(Ms(), 0);
  }
}

TEST_F(TimeCorrectionTest, ClaimsFarAheadOfTheDriverAreNotBelieved) {
  usage_->slot[3].card[0].busy_ns = ~std::uint64_t{0};
  for (int i = 0; i < 6; ++i) {
    Look(0);
  }
  EXPECT_GE(correction_.ns(), -TimeCorrection::kLongestAhead);
  const std::int64_t before = correction_.ns();
  for (int i = 0; i < 6; ++i) {
    Look(10);  // more work that nobody claims is charged all the same
  }
  EXPECT_EQ(correction_.ns() - before, 60 * kMs);
}

TEST_F(TimeCorrectionTest, NoScribblingOverflowsOrGainsMoreThanItsBound) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  std::int64_t highest = 0;
  for (int round = 0; round < 2000; ++round) {
    quota::UsageSlot& slot = usage_->slot[random() % quota::kUsageSlots];
    slot.generation = random() % 3;
    slot.card[0].busy_ns = random() % 2 == 0 ? random() : random() % 1000;
    const std::int64_t before = correction_.ns();
    correction_.Look(*usage_, 0, Driver{random() % 1'000'000'000, 0}, random() % 4 == 0);
    highest = std::max(highest, correction_.ns());
    EXPECT_GE(correction_.ns(), before - TimeCorrection::kLongestAhead);
  }
  EXPECT_LE(highest, 2000 * (std::int64_t{65} * 3'600'000'000'000));
}

}  // namespace
}  // namespace aliquot::agent
