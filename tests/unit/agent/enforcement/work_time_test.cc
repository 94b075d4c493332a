// SPDX-License-Identifier: Apache-2.0
#include "agent/enforcement/work_time.h"

#include <gtest/gtest.h>

namespace aliquot::agent {
namespace {

using std::chrono::milliseconds;

class WorkTimeTest : public testing::Test {
 protected:
  // Milliseconds of process 7, -1 = nothing is known.
  std::int64_t Look(const std::vector<CardWork::Sample>& samples, int after_ms = 300,
                    bool sampled = true) {
    clock_.Advance(milliseconds(after_ms));
    CardWork work;
    work.samples = samples;
    work.sampled = sampled;
    const auto worked = work_.Look(work, clock_.SteadyNow());
    if (!worked) {
      return -1;
    }
    const auto at = worked->find(7);
    return at == worked->end() ? 0 : static_cast<std::int64_t>(at->second.ns / 1'000'000);
  }

  FakeClock clock_;
  WorkTime work_;
};

TEST_F(WorkTimeTest, TheFirstLookOnlySaysWhereToCountFrom) {
  EXPECT_EQ(Look({{7, 1'000'000, 50}}), -1);
}

// 50 % of 300 ms, then 20 % of the 250 ms between its samples.
TEST_F(WorkTimeTest, ASampleCountsForTheTimeSinceTheOneBefore) {
  Look({});
  EXPECT_EQ(Look({{7, 1'000'000, 50}}), 150);
  EXPECT_EQ(Look({{7, 1'250'000, 20}}), 50);
}

// 10 % of 100 ms and 30 % of 100 ms.
TEST_F(WorkTimeTest, SeveralSamplesInALookAddUp) {
  Look({{7, 1'000'000, 10}});
  EXPECT_EQ(Look({{7, 1'100'000, 10}, {7, 1'200'000, 30}}), 40);
}

// It did nothing for a look: 100 % of the 300 ms since then, not of the 900 since its last sample.
TEST_F(WorkTimeTest, AnOldSampleIsNotCountedFrom) {
  Look({{7, 1'000'000, 10}});
  EXPECT_EQ(Look({}), 0);
  EXPECT_EQ(Look({{7, 1'900'000, 100}}), 300);
}

// At most twice the 300 ms between looks.
TEST_F(WorkTimeTest, AWildTimestampIsBounded) {
  Look({{7, 1'000'000, 10}});
  EXPECT_EQ(Look({{7, ~0ULL, 100}}), 600);
}

TEST_F(WorkTimeTest, ADriverThatDoesNotSampleSaysNothing) {
  Look({});
  EXPECT_EQ(Look({}, 300, /*sampled=*/false), -1);
}

}  // namespace
}  // namespace aliquot::agent
