// SPDX-License-Identifier: Apache-2.0
#include "interposer/pace.h"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>
#include <vector>

namespace aliquot::interposer {
namespace {

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kNow = 1'000'000 * kMs;

TEST(PaceTest, GpuTimeTakesAsMuchMoreWallTimeAsTheShareIsSmaller) {
  EXPECT_EQ(WallTimeOf(10 * kMs, 20), 50 * kMs);
  EXPECT_EQ(WallTimeOf(10 * kMs, 100), 10 * kMs);
  EXPECT_EQ(WallTimeOf(0, 0), 0U);
  EXPECT_EQ(WallTimeOf(~std::uint64_t{0}, 1), kLongestDebtNs);
}

TEST(PaceTest, ALaunchWaitsUntilWhatWentBeforeIsPaidFor) {
  quota::PaceCell cell{};
  EXPECT_EQ(PaceAdmit(cell, 100 * kMs, 50, kNow, kPaceBurstNs), 0U);
  // 100 ms of credit, 200 ms of cost.
  EXPECT_EQ(PaceAdmit(cell, 1, 50, kNow, kPaceBurstNs), 100 * kMs);
  EXPECT_EQ(PaceWait(cell, kNow + 99 * kMs), 1 * kMs);
  EXPECT_EQ(PaceAdmit(cell, 1, 50, kNow + 100 * kMs, kPaceBurstNs), 0U);
}

TEST(PaceTest, NoMoreThanTheCreditIsCaughtUpOn) {
  quota::PaceCell cell{};
  PaceCharge(cell, 1, 50, kNow, 0);
  std::uint64_t launches = 0;
  const std::uint64_t later = kNow + 5000 * kMs;
  while (PaceAdmit(cell, 10 * kMs, 50, later, 300 * kMs) == 0) {
    ++launches;
  }
  // 300 ms of credit at 20 ms a launch, and the one that ends in debt.
  EXPECT_EQ(launches, 16U);
}

TEST(PaceTest, ADebtFollowsTheShare) {
  quota::PaceCell cell{};
  PaceFollow(cell, 10, kNow);
  PaceCharge(cell, 100 * kMs, 10, kNow, 0);
  ASSERT_EQ(PaceWait(cell, kNow), 1000 * kMs);
  EXPECT_TRUE(PaceFollow(cell, 50, kNow));
  EXPECT_EQ(PaceWait(cell, kNow), 200 * kMs);
  EXPECT_FALSE(PaceFollow(cell, 50, kNow));
}

TEST(PaceTest, ACorrectionIsAppliedOnceByWhatItHasGrown) {
  quota::PaceCell cell{};
  PaceCharge(cell, 0, 50, kNow, 0);
  EXPECT_TRUE(PaceCorrect(cell, 30 * kMs, 50, kNow));
  EXPECT_FALSE(PaceCorrect(cell, 30 * kMs, 50, kNow));
  EXPECT_EQ(PaceWait(cell, kNow), 60 * kMs);
  EXPECT_TRUE(PaceCorrect(cell, 20 * kMs, 50, kNow));
  EXPECT_EQ(PaceWait(cell, kNow), 40 * kMs);
}

TEST(PaceTest, WhatWasChargedTooMuchIsGivenBackInFull) {
  quota::PaceCell cell{};
  PaceCharge(cell, 10 * kMs, 50, kNow, 0);
  PaceAdjust(cell, -25 * static_cast<std::int64_t>(kMs), 50, kNow);
  EXPECT_EQ(PaceWait(cell, kNow), 0U);
  // 10 ms paid the debt, 15 ms are left for what comes.
  EXPECT_EQ(PaceAdmit(cell, 15 * kMs, 50, kNow, 0), 0U);
  EXPECT_EQ(PaceWait(cell, kNow), 0U);
  EXPECT_EQ(PaceAdmit(cell, 5 * kMs, 50, kNow, 0), 0U);
  EXPECT_EQ(PaceWait(cell, kNow), 10 * kMs);
}

TEST(PaceTest, AWrongWordInTheCellHoldsNobodyForLong) {
  quota::PaceCell cell{};
  cell.ready_ns = ~std::uint64_t{0};
  EXPECT_EQ(PaceAdmit(cell, kMs, 50, kNow, kPaceBurstNs), 0U);
  cell.correction_applied_ns = std::numeric_limits<std::int64_t>::min();
  PaceCorrect(cell, std::numeric_limits<std::int64_t>::max(), 50, kNow);
  EXPECT_LE(PaceWait(cell, kNow), kLongestCorrectionDebtNs);
  cell.refund_ns = ~std::uint64_t{0};
  PaceCharge(cell, 2 * kLargestRefundNs, 100, kNow, 0);
  EXPECT_GE(PaceWait(cell, kNow), kLargestRefundNs);
}

TEST(PaceTest, WhatManyChargeAtOnceIsChargedInFull) {
  quota::PaceCell cell{};
  PaceCharge(cell, 0, 100, kNow, 0);
  constexpr int kEach = 20'000;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&cell] {
      for (int k = 0; k < kEach; ++k) {
        PaceCharge(cell, 1000, 100, kNow, 0);
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(PaceWait(cell, kNow), 4U * kEach * 1000);
}

// Over any time the admitted cost is at most the share of it, the credit and one launch.
TEST(PaceTest, OverAnyTimeTheShareIsKept) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 50; ++round) {
    const auto percent = static_cast<std::uint32_t>(1 + random() % 99);
    const std::uint64_t longest = 1 + random() % (50 * kMs);
    quota::PaceCell cell{};
    std::uint64_t now = kNow;
    std::uint64_t spent = 0;
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t cost = 1 + random() % longest;
      if (const std::uint64_t wait = PaceAdmit(cell, cost, percent, now, kPaceBurstNs)) {
        now += wait + random() % kMs;
      } else {
        spent += cost;
        now += random() % 1000;
      }
    }
    const std::uint64_t share = (now - kNow + kPaceBurstNs) * percent / 100;
    EXPECT_LE(spent, share + longest) << percent << " % " << longest;
    EXPECT_GE(spent + longest, (now - kNow) * percent / 100 * 95 / 100) << percent << " %";
  }
}

}  // namespace
}  // namespace aliquot::interposer
