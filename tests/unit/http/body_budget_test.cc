// SPDX-License-Identifier: Apache-2.0
#include "http/body_budget.h"

#include <gtest/gtest.h>

namespace aliquot::http {
namespace {

TEST(BodyBudget, RefusesWhatIsNotLeftAndTakesNothingThen) {
  BodyBudget budget(100);
  EXPECT_TRUE(budget.Reserve(60));
  EXPECT_FALSE(budget.Reserve(41));
  EXPECT_TRUE(budget.Reserve(40));
  EXPECT_FALSE(budget.Reserve(1));
  budget.Release(60);
  EXPECT_TRUE(budget.Reserve(60));
}

}  // namespace
}  // namespace aliquot::http
