// SPDX-License-Identifier: Apache-2.0
#include "interposer/launch_gate.h"

#include <gtest/gtest.h>

#include <memory>

#include "interposer/pace.h"

namespace aliquot::interposer {
namespace {

constexpr std::uint64_t kMs = 1'000'000;
constexpr std::uint64_t kNow = 1'000'000 * kMs;

class LaunchGateTest : public ::testing::Test {
 protected:
  GateResult Ask(std::uint64_t now, GateQuestion question = GateQuestion::kWorkAndTime) {
    return AskGate(pace_, flight_, cost_, share_, now, question);
  }
  // A launch that is timed and ends `elapsed` later.
  void Sample(std::uint64_t now, std::uint64_t elapsed) {
    const std::uint64_t mark = SampleTaken(flight_, cost_, now);
    SampleEnded(pace_, flight_, cost_, share_, mark, elapsed, now + elapsed);
    OldestUnfinished(flight_, 0);
  }

  quota::PaceCell pace_{};
  LaunchFlight flight_{};
  LaunchCost cost_{};
  ShareNow share_{50, 50, 0};
};

TEST_F(LaunchGateTest, AnUnknownLaunchIsGuessedAndTimedAtOnce) {
  const GateResult first = Ask(kNow);
  EXPECT_EQ(first.answer, GateAnswer::kGo);
  EXPECT_EQ(first.value_ns, kGuessedCostNs);
  EXPECT_TRUE(SampleDue(flight_, cost_, kNow));
}

TEST_F(LaunchGateTest, OfAnUnknownLaunchOnlyTwoGoBeforeOneHasEnded) {
  Ask(kNow);
  const std::uint64_t mark = SampleTaken(flight_, cost_, kNow);
  EXPECT_EQ(Ask(kNow).answer, GateAnswer::kGo);
  EXPECT_EQ(Ask(kNow).answer, GateAnswer::kWaitForWork);
  SampleEnded(pace_, flight_, cost_, share_, mark, 10'000, kNow + 10'000);
  EXPECT_EQ(Ask(kNow + 10'000).answer, GateAnswer::kGo);
}

TEST_F(LaunchGateTest, WhatWasGuessedIsSettledByTheFirstSample) {
  Ask(kNow);
  const std::uint64_t mark = SampleTaken(flight_, cost_, kNow);
  Ask(kNow);
  const std::int64_t more =
      SampleEnded(pace_, flight_, cost_, share_, mark, 80 * kMs, kNow + 80 * kMs);
  EXPECT_EQ(more, static_cast<std::int64_t>(2 * (80 * kMs - kGuessedCostNs)));
  // 160 ms of GPU time at half the card; 80 ms went by, 100 ms are credit.
  EXPECT_GT(PaceWait(pace_, kNow + 80 * kMs), 200 * kMs);
}

TEST_F(LaunchGateTest, AFirstSampleThatWaitedForOthersIsPutRightByTheNext) {
  Ask(kNow);
  Sample(kNow, 400 * kMs);
  const std::uint64_t later = kNow + 400 * kMs;
  ASSERT_GT(PaceWait(pace_, later), 300 * kMs);
  Ask(later, GateQuestion::kNothing);
  Sample(later, kMs);
  EXPECT_EQ(PaceWait(pace_, later + kMs), 0U);
}

TEST_F(LaunchGateTest, UnfinishedWorkIsWaitedForAndNotForEver) {
  Ask(kNow);
  Sample(kNow, 50 * kMs);
  share_.percent = 100;
  std::uint64_t launches = 0;
  while (Ask(kNow + 60 * kMs).answer == GateAnswer::kGo) {
    if (launches++ == 0) {
      SampleTaken(flight_, cost_, kNow + 60 * kMs);
    }
    ASSERT_LT(launches, 100U);
  }
  EXPECT_LE(launches, kFlightWindowNs / (50 * kMs) + 1);
  const std::uint64_t patience = LongestFlightWait(flight_);
  FlightWaitOver(flight_, true);
  EXPECT_EQ(Ask(kNow + 60 * kMs, GateQuestion::kTime).answer, GateAnswer::kGo);
  EXPECT_LT(LongestFlightWait(flight_), patience);
}

TEST_F(LaunchGateTest, WorkThatWasWaitedForInVainDoesNotGiveTimeAway) {
  share_.percent = 10;
  PaceCharge(pace_, 500 * kMs, 10, kNow, 0);
  FlightWaitOver(flight_, true);
  EXPECT_EQ(Ask(kNow, GateQuestion::kTime).answer, GateAnswer::kWaitForTime);
}

TEST_F(LaunchGateTest, AShareThatHadToWaitForOthersMayCatchUp) {
  Ask(kNow);
  Sample(kNow, 10 * kMs);
  Ask(kNow + 10 * kMs);
  Sample(kNow + 10 * kMs, 410 * kMs);  // 400 ms of others
  const std::uint64_t now = kNow + 500 * kMs;
  std::uint64_t launches = 0;
  while (Ask(now).answer == GateAnswer::kGo) {
    ASSERT_LT(++launches, 100U);
  }
  // 480 ms went by, nearly all of it is credit: more than the 100 ms that an idle share gets.
  EXPECT_GT(launches, 15U);
}

TEST_F(LaunchGateTest, ARefusedLaunchCostsNothing) {
  Ask(kNow);
  Sample(kNow, 40 * kMs);
  const std::uint64_t now = kNow + 200 * kMs;
  const std::uint64_t before = PaceWait(pace_, now);
  const GateResult asked = Ask(now, GateQuestion::kNothing);
  UndoLaunch(pace_, flight_, share_, asked.value_ns, now);
  EXPECT_LE(PaceWait(pace_, now), before);
}

TEST_F(LaunchGateTest, AWholeCardLentIsNotPaced) {
  share_.percent = 100;
  Ask(kNow);
  Sample(kNow, kMs);
  std::uint64_t now = kNow + 2 * kMs;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(Ask(now).answer, GateAnswer::kGo);
    now += 1000;
    flight_.done_ns = flight_.issued_ns;
  }
  EXPECT_EQ(PaceWait(pace_, now), 0U);
}

TEST_F(LaunchGateTest, SmallLaunchesThatAreKnownWellGoOnWhatWasPaidAhead) {
  PaceCharge(pace_, 0, 50, kNow, 0);
  std::uint64_t prepaid = Prepay(pace_, flight_, share_, 1'000, kNow);
  ASSERT_GT(prepaid, 10'000U);
  EXPECT_EQ(PaceWait(pace_, kNow), 2 * prepaid);  // at half the card
  EXPECT_EQ(TakePrepaid(flight_, cost_, prepaid), 0U) << "its cost is not known";
  for (std::uint32_t i = 0; i < kSamplesPerWindow; ++i) {
    AddSample(cost_, 1'000, kNow);
  }
  std::uint64_t taken = 0;
  const std::uint64_t all = prepaid;
  while (const std::uint64_t one = TakePrepaid(flight_, cost_, prepaid)) {
    taken += one;
  }
  EXPECT_EQ(taken, all);
  EXPECT_EQ(flight_.issued_ns, all);
}

TEST_F(LaunchGateTest, LongLaunchesArePaidForOneByOne) {
  EXPECT_EQ(Prepay(pace_, flight_, share_, kMs, kNow), 0U);
}

TEST_F(LaunchGateTest, CorrectionsThatGrowRaiseTheEstimates) {
  for (int i = 0; i < 100; ++i) {
    AddSample(cost_, i % 2 == 0 ? kMs : 9 * kMs, kNow);
  }
  const std::uint64_t before = Ask(kNow, GateQuestion::kNothing).value_ns;
  share_.correction_ns = 100 * static_cast<std::int64_t>(kMs);
  EXPECT_GT(Ask(kNow, GateQuestion::kNothing).value_ns, before);
}

TEST_F(LaunchGateTest, AnUnsureLaunchWaitsTwiceAsLongEachTimeUntilAllIsPaidFor) {
  const std::uint64_t owed = 10'000 * kMs;
  EXPECT_EQ(LongestTimeWait(flight_, cost_, owed), 500 * kMs);
  Ask(kNow, GateQuestion::kNothing);
  EXPECT_EQ(LongestTimeWait(flight_, cost_, owed), 1'000 * kMs);
  Ask(kNow, GateQuestion::kNothing);
  EXPECT_EQ(LongestTimeWait(flight_, cost_, owed), 2'000 * kMs);
  EXPECT_EQ(Ask(kNow + owed).answer, GateAnswer::kGo);
  EXPECT_EQ(LongestTimeWait(flight_, cost_, owed), 500 * kMs);
}

TEST_F(LaunchGateTest, ASampleWhoseContextEndedIsWaitedForNoMore) {
  Ask(kNow);
  SampleTaken(flight_, cost_, kNow);
  Ask(kNow);
  EXPECT_EQ(Ask(kNow).answer, GateAnswer::kWaitForWork);
  SampleAbandoned(cost_);
  OldestUnfinished(flight_, 0);
  EXPECT_EQ(Ask(kNow).answer, GateAnswer::kGo);
}

TEST_F(LaunchGateTest, ALaunchWhoseCostWasForgottenPaysForWhatWasTimed) {
  Ask(kNow);
  const std::uint64_t mark = SampleTaken(flight_, cost_, kNow);
  const std::uint64_t took = 200 * kMs + kGuessedCostNs;
  EXPECT_EQ(UnknownEnded(pace_, flight_, share_, mark, took, kNow + took), 200 * kMs);
  // 200 ms at 50 % are 400 ms, less what may be caught up on
  EXPECT_GT(PaceWait(pace_, kNow + took), 200 * kMs);
  EXPECT_EQ(flight_.issued_ns, flight_.done_ns);
}

}  // namespace
}  // namespace aliquot::interposer
