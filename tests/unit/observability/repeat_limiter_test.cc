// SPDX-License-Identifier: Apache-2.0
#include "observability/repeat_limiter.h"

#include <string>

#include "gtest/gtest.h"

namespace aliquot::observability {
namespace {

using std::chrono::seconds;

class RepeatLimiterTest : public testing::Test {
 protected:
  FakeClock clock_;
  RepeatLimiter limiter_{clock_, 2, seconds(10)};
};

TEST_F(RepeatLimiterTest, LetsABurstThroughAndHoldsBackTheRest) {
  EXPECT_TRUE(limiter_.Ask("a").allowed);
  EXPECT_TRUE(limiter_.Ask("a").allowed);
  EXPECT_FALSE(limiter_.Ask("a").allowed);
  clock_.Advance(seconds(9));
  EXPECT_FALSE(limiter_.Ask("a").allowed);
}

TEST_F(RepeatLimiterTest, TellsHowManyWereHeldBackOnceTheWindowIsOver) {
  for (int i = 0; i < 5; ++i) limiter_.Ask("a");
  clock_.Advance(seconds(10));
  const RepeatLimiter::Answer next = limiter_.Ask("a");
  EXPECT_TRUE(next.allowed);
  EXPECT_EQ(next.suppressed, 3);
  EXPECT_EQ(limiter_.Ask("a").suppressed, 0);
}

TEST_F(RepeatLimiterTest, KeysDoNotShareTheirBurst) {
  limiter_.Ask("a");
  limiter_.Ask("a");
  EXPECT_FALSE(limiter_.Ask("a").allowed);
  EXPECT_TRUE(limiter_.Ask("b").allowed);
}

TEST_F(RepeatLimiterTest, ForgetsInsteadOfGrowingWithoutEnd) {
  limiter_.Ask("a");
  limiter_.Ask("a");
  EXPECT_FALSE(limiter_.Ask("a").allowed);
  for (std::size_t i = 0; i < RepeatLimiter::kMaxKeys; ++i) limiter_.Ask("key" + std::to_string(i));
  EXPECT_TRUE(limiter_.Ask("a").allowed);
}

}  // namespace
}  // namespace aliquot::observability
