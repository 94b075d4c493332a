// SPDX-License-Identifier: Apache-2.0
#include "agent/enforcement/lender.h"

#include "agent/usage/usage_file.h"
#include "tests/unit/agent/enforcement/held_fixture.h"

namespace aliquot::agent {
namespace {

using std::chrono::milliseconds;

class LenderTest : public HeldTest {
 protected:
  std::chrono::milliseconds Round(milliseconds after = milliseconds(200)) {
    clock_.Advance(after);
    if (driver_answers_) {
      const auto live = live_.Snapshot();
      for (const auto& grant : *live) {
        ShareMeasure measure;
        measure.looked = clock_.SteadyNow();
        measure.overhead_bytes = overhead_;
        board_.Begin(HeldKey(*grant), std::vector<ShareMeasure>(1));
        board_.SetMeasure(HeldKey(*grant), 0, measure);
      }
    }
    return lender_.Round();
  }
  std::uint64_t NowNs() const {
    return static_cast<std::uint64_t>(
        std::chrono::nanoseconds(clock_.SteadyNow().time_since_epoch()).count());
  }

  bool driver_answers_ = true;
  std::uint64_t overhead_ = 0;
  ShareCounters counters_;
  Lender lender_{LenderOptions(), Lender::Parts{live_, board_, *layout_, counters_, clock_, log_}};
};

TEST_F(LenderTest, AShareThatWorksAloneIsLentUpToItsCeilingForASecond) {
  const std::string grant = Grant(1, 30, 80);
  Use(grant, 1);
  EXPECT_EQ(Round(), milliseconds(200));
  EXPECT_EQ(LiveOf(grant).core_now, 80U);
  EXPECT_EQ(LiveOf(grant).expires_ns, NowNs() + 800'000'000U);
  Use(grant, 2);
  Round();
  EXPECT_EQ(LiveOf(grant).expires_ns, NowNs() + 800'000'000U) << "renewed";
}

TEST_F(LenderTest, ANeighbourThatBeginsToWorkHasItsShareBackAtTheNextRound) {
  const std::string one = Grant(1, 30, 100);
  const std::string two = Grant(2, 70, 70);
  Use(one, 1);
  Round();
  EXPECT_EQ(LiveOf(one).core_now, 100U);
  Use(one, 2);
  Use(two, 1);
  Round();
  EXPECT_EQ(LiveOf(one).core_now, 0U) << "30 % are guaranteed, and nothing is left";
  EXPECT_EQ(LiveOf(two).core_now, 0U);
}

// 500 ms after its last launch a share counts as idle.
TEST_F(LenderTest, WhatAShareDoesNotUseIsLentHalfASecondLater) {
  const std::string one = Grant(1, 30, 100);
  const std::string two = Grant(2, 70, 70);
  Use(two, 5);
  for (int round = 1; round <= 3; ++round) {
    Use(one, static_cast<std::uint64_t>(round));
    Round();
    EXPECT_EQ(LiveOf(one).core_now, 0U) << round;
  }
  Use(one, 4);
  Round();
  EXPECT_EQ(LiveOf(one).core_now, 100U);
}

TEST_F(LenderTest, AContainerWithoutAProcessIsIdleAtOnce) {
  const std::string one = Grant(1, 30, 100);
  const std::string two = Grant(2, 70, 70);
  Use(one, 1);
  Use(two, 1);
  Round();
  EXPECT_EQ(LiveOf(one).core_now, 0U);
  EndUse(two);
  Use(one, 2);
  Round();
  EXPECT_EQ(LiveOf(one).core_now, 100U);
}

// Nobody scrapes: 5 launches of a process, then 2 of the next in its slot.
TEST_F(LenderTest, WhatItReadsIsCountedBetweenScrapes) {
  const std::string one = Grant(1, 30, 100);
  Use(one, 5);
  Round();
  Use(one, 2);
  Round();
  const auto usage = ReadUsageFile(layout_->UsageRegion(one), 1);
  ASSERT_TRUE(usage.ok());
  const auto live = live_.Snapshot();
  EXPECT_EQ(counters_.Add(*live->at(0), *usage->region, counters_.Now()).at(0).launches, 7U);
}

TEST_F(LenderTest, NothingIsLentOnACardWhoseDriverIsSilent) {
  const std::string grant = Grant(1, 30, 100);
  Use(grant, 1);
  Round();
  ASSERT_EQ(LiveOf(grant).core_now, 100U);
  driver_answers_ = false;
  for (std::uint64_t i = 2; i < 18; ++i) {  // 16 x 200 ms = 3.2 s
    Use(grant, i);
    Round();
  }
  EXPECT_EQ(LiveOf(grant).core_now, 0U);
}

// Not held: it may work at any time, and nobody would see it.
TEST_F(LenderTest, ANeighbourThatNobodyHoldsCountsAsBusy) {
  const std::string one = Grant(1, 30, 100);
  GrantRecord other;
  other.name = "g9";
  other.identity.uid = Uid(9);
  other.identity.container = "main";
  other.cards = {{"GPU-0", 0, 50, 1024}};
  live_.Recall({other});
  Use(one, 1);
  Round();
  EXPECT_EQ(LiveOf(one).core_now, 50U);
}

TEST_F(LenderTest, OverheadIsWrittenAlsoWhileNothingIsLent) {
  const std::string grant = Grant(1, 30, 30);
  overhead_ = 300 << 20;
  EXPECT_EQ(Round(), milliseconds(1000)) << "nobody uses the card";
  EXPECT_EQ(LiveOf(grant).overhead_bytes, 300U << 20);
  EXPECT_EQ(LiveOf(grant).core_now, 0U);
}

TEST_F(LenderTest, WhatAnAgentBeforeHasMeasuredIsCarriedOver) {
  const std::string grant = Grant(1, 30, 30);
  overhead_ = 300 << 20;
  Round();
  EnforcementBoard board;
  Lender next(LenderOptions(), Lender::Parts{live_, board, *layout_, counters_, clock_, log_});
  next.Round();
  const auto measures = board.Measures(HeldKey(*live_.Snapshot()->front()));
  ASSERT_EQ(measures.size(), 1U);
  EXPECT_EQ(measures[0].overhead_bytes, 300U << 20);
  EXPECT_FALSE(measures[0].looked);
  EXPECT_EQ(LiveOf(grant).overhead_bytes, 300U << 20);
}

TEST_F(LenderTest, ARecordThatIsReplacedIsWrittenAnew) {
  const std::string grant = Grant(1, 30, 30);
  overhead_ = 5 << 20;
  Round();
  PutRecord(*live_.Snapshot()->front());
  ASSERT_EQ(LiveOf(grant).overhead_bytes, 0U);
  Round();
  EXPECT_EQ(LiveOf(grant).overhead_bytes, 5U << 20);
}

TEST_F(LenderTest, AGrantThatIsGoneIsForgotten) {
  Grant(1, 30, 30);
  Round();
  ASSERT_EQ(board_.Snapshot().size(), 1U);
  live_.EndPod(Uid(1));
  driver_answers_ = false;
  Round();
  EXPECT_TRUE(board_.Snapshot().empty());
}

TEST_F(LenderTest, ADamagedRecordIsSaidOnceAndCostsNobodyElse) {
  const std::string one = Grant(1, 30, 100);
  const std::string two = Grant(2, 20, 20, 1024, "GPU-1");
  std::ofstream(RecordPath(two), std::ios::binary | std::ios::trunc) << "no record";
  Use(one, 1);
  Round();
  EXPECT_EQ(log_.lines(), 0) << "it may be on its way";
  for (std::uint64_t launches = 2; launches < 5; ++launches) {
    Use(one, launches);
    Round();
  }
  EXPECT_EQ(log_.lines(), 1);
  EXPECT_EQ(LiveOf(one).core_now, 100U);
}

}  // namespace
}  // namespace aliquot::agent
