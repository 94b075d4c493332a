// SPDX-License-Identifier: Apache-2.0
#include "access/review_budget.h"

#include <gtest/gtest.h>

namespace aliquot::access {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Takes until it is refused.
int TakeAll(ReviewBudget& budget, const std::string& address, SteadyTime now) {
  int taken = 0;
  while (taken < 1000 && budget.Take(address, now)) {
    ++taken;
  }
  return taken;
}

TEST(ReviewBudgetTest, AnAddressHasItsBurstThenItsRate) {
  ReviewBudget budget;
  const SteadyTime start{};
  EXPECT_EQ(TakeAll(budget, "10.0.0.1", start), 10);
  EXPECT_EQ(TakeAll(budget, "10.0.0.1", start + milliseconds(400)), 0);
  EXPECT_EQ(TakeAll(budget, "10.0.0.1", start + seconds(2)), 4);  // 2 s x 2 a second
}

TEST(ReviewBudgetTest, OneThatFloodsTakesLittleFromTheOthers) {
  ReviewBudget budget;
  EXPECT_EQ(TakeAll(budget, "10.0.0.1", SteadyTime{}), 10);
  EXPECT_TRUE(budget.Take("10.0.0.2", SteadyTime{}));
}

TEST(ReviewBudgetTest, AllTogetherHaveABoundToo) {
  ReviewBudget budget;
  int taken = 0;
  for (int i = 0; i < 100; ++i) {
    taken += TakeAll(budget, "10.0.1." + std::to_string(i), SteadyTime{});
  }
  EXPECT_EQ(taken, 40);
}

TEST(ReviewBudgetTest, RemembersSoManyAddressesAndForgetsTheQuietest) {
  ReviewRates rates;
  rates.addresses = 3;
  rates.burst_together = 1000;
  ReviewBudget budget(rates);
  for (int i = 0; i < 50; ++i) {
    budget.Take("10.0.1." + std::to_string(i), SteadyTime{} + milliseconds(i));
  }
  EXPECT_EQ(budget.addresses(), 3u);
}

TEST(ReviewBudgetTest, AClockThatStandsStillOrGoesBackGivesNothing) {
  ReviewBudget budget;
  EXPECT_EQ(TakeAll(budget, "a", SteadyTime{} + seconds(10)), 10);
  EXPECT_FALSE(budget.Take("a", SteadyTime{}));
}

}  // namespace
}  // namespace aliquot::access
