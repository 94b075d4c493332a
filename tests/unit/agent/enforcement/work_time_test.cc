// SPDX-License-Identifier: Apache-2.0
#include "agent/enforcement/work_time.h"

#include <gtest/gtest.h>

namespace aliquot::agent {
namespace {

using std::chrono::milliseconds;

// Looks 300 ms apart at process 7; what it worked lies between `least` and `most` ms.
class WorkTimeTest : public testing::Test {
 protected:
  struct Span {
    double least = -1;
    double most = -1;
  };
  Span Look(const std::vector<CardWork::Sample>& samples, int after_ms = 300, bool sampled = true) {
    clock_.Advance(milliseconds(after_ms));
    asked_ = work_.Since(clock_.SteadyNow());
    CardWork work;
    work.processes.push_back({7, {}});
    work.samples = samples;
    work.sampled = sampled;
    const auto worked = work_.Look(work, clock_.SteadyNow());
    if (!worked) {
      return {};
    }
    const auto at = worked->find(7);
    if (at == worked->end()) {
      return {0, 0};
    }
    const double least = static_cast<double>(at->second.ns) / 1e6;
    return {least, least + static_cast<double>(at->second.rounding_ns) / 1e6};
  }

  FakeClock clock_;
  WorkTime work_;
  std::uint64_t asked_ = 0;
};

TEST_F(WorkTimeTest, TheFirstLookOnlySaysWhereToCountFrom) {
  EXPECT_EQ(Look({{7, 1'000'000, 50}}).least, -1);
  EXPECT_EQ(asked_, 0U);
}

// 50 % of the 300 ms between its samples: 49.5 to 51 %, since it may be rounded or cut off.
TEST_F(WorkTimeTest, ASampleCountsForTheTimeSinceTheOneBefore) {
  Look({{7, 1'000'000, 10}});
  const Span span = Look({{7, 1'300'000, 50}});
  EXPECT_EQ(asked_, 1'000'000U);
  EXPECT_DOUBLE_EQ(span.least, 148.5);
  EXPECT_DOUBLE_EQ(span.most, 153);
}

// The driver sampled nothing in one look: 100 % of 600 ms, by what it tells and what has passed.
TEST_F(WorkTimeTest, ALookWithoutSamplesLosesNothing) {
  Look({{7, 1'000'000, 10}});
  EXPECT_EQ(Look({}).most, 0);
  const Span span = Look({{7, 1'600'000, 100}});
  EXPECT_DOUBLE_EQ(span.least, 597);
}

// 9.5 % of 100 ms and 29.5 % of 100 ms.
TEST_F(WorkTimeTest, SeveralSamplesInALookAddUp) {
  Look({{7, 1'000'000, 10}});
  EXPECT_DOUBLE_EQ(Look({{7, 1'100'000, 10}, {7, 1'200'000, 30}}).least, 39);
}

// Since when it was busy nobody says: at most the 300 ms since the look before.
TEST_F(WorkTimeTest, AProcessThatIsNewOnTheCardMayHaveWorkedLess) {
  Look({{7, 1'000'000, 10}});
  Look({{7, 1'300'000, 10}, {8, 1'300'000, 99}});
  clock_.Advance(milliseconds(300));
  CardWork work;
  work.samples = {{9, 1'600'000, 99}};
  work.sampled = true;
  const auto worked = work_.Look(work, clock_.SteadyNow());
  EXPECT_EQ(worked->at(9).ns, 0U);
  EXPECT_EQ(worked->at(9).rounding_ns, 300'000'000U);
}

TEST_F(WorkTimeTest, AfterAPauseTheSampleIsNotAboutThePause) {
  Look({{7, 1'000'000, 10}});
  Look({});
  const Span span = Look({{7, 2'300'000, 100}}, 1000);
  EXPECT_EQ(asked_, 0U);
  EXPECT_EQ(span.least, 0);
  EXPECT_DOUBLE_EQ(span.most, 1010);
}

// At most 450 ms, half as much again as has passed.
TEST_F(WorkTimeTest, AWildTimestampIsBounded) {
  Look({{7, 1'000'000, 10}});
  EXPECT_LE(Look({{7, ~0ULL, 100}}).least, 450);
}

TEST_F(WorkTimeTest, ADriverThatDoesNotSampleSaysNothing) {
  Look({});
  EXPECT_EQ(Look({}, 300, /*sampled=*/false).least, -1);
}

}  // namespace
}  // namespace aliquot::agent
