// SPDX-License-Identifier: Apache-2.0
#include "agent/enforcement/lending.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace aliquot::agent {
namespace {

using testing::ElementsAre;

TEST(LendCores, AShareAloneMayUseUpToItsCeiling) {
  EXPECT_THAT(LendCores({{30, 100, true}}), ElementsAre(100U));
  EXPECT_THAT(LendCores({{30, 60, true}}), ElementsAre(60U));
  EXPECT_THAT(LendCores({{30, 30, true}}), ElementsAre(30U));
}

TEST(LendCores, WhoWorksHasItsGuaranteedShareWhateverTheOthersWant) {
  EXPECT_THAT(LendCores({{30, 100, true}, {70, 100, true}}), ElementsAre(30U, 70U));
}

// 100 - 20 - 20 = 60 are left, 20 : 20.
TEST(LendCores, IdleCapacityIsDividedByWeight) {
  EXPECT_THAT(LendCores({{20, 100, true}, {20, 100, true}, {60, 100, false}}),
              ElementsAre(50U, 50U, 60U));
  // 100 - 40 = 60 are left, 10 : 30.
  EXPECT_THAT(LendCores({{10, 100, true}, {30, 100, true}}), ElementsAre(25U, 75U));
}

// 80 are left, 10 : 10; the first takes 15 up to its ceiling, the second the rest.
TEST(LendCores, WhatOneMayNotTakeGoesToTheOther) {
  EXPECT_THAT(LendCores({{10, 25, true}, {10, 100, true}}), ElementsAre(25U, 75U));
}

TEST(LendCores, WhoDoesNothingKeepsItsGuaranteedShareForItsReturn) {
  EXPECT_THAT(LendCores({{40, 100, false}}), ElementsAre(40U));
}

TEST(LendCores, NobodyIsNoError) { EXPECT_TRUE(LendCores({}).empty()); }

TEST(LendCores, ActiveOnesNeverHaveMoreThanTheCardNorLessThanTheirShares) {
  std::mt19937 random(20261130);
  SCOPED_TRACE("seed 20261130");
  for (int round = 0; round < 2000; ++round) {
    std::vector<LendingShare> shares;
    std::uint32_t room = 100;
    while (room > 0 && shares.size() < 12) {
      LendingShare share;
      share.core = 1 + random() % room;
      room -= share.core;
      share.ceiling = share.core + random() % (101 - share.core);
      share.active = random() % 2 == 0;
      shares.push_back(share);
    }
    const auto given = LendCores(shares);
    std::uint32_t sum = 0;
    bool hungry = false;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      ASSERT_GE(given[i], shares[i].core);
      ASSERT_LE(given[i], shares[i].ceiling);
      sum += shares[i].active ? given[i] : 0;
      hungry = hungry || (shares[i].active && given[i] < shares[i].ceiling);
    }
    ASSERT_LE(sum, 100U);
    ASSERT_TRUE(!hungry || sum == 100) << "something was left although one could take it";
  }
}

}  // namespace
}  // namespace aliquot::agent
