// SPDX-License-Identifier: Apache-2.0
#include "scoring/rank_nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

namespace aliquot::scoring {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ScoresOf, NothingGivesNothing) { EXPECT_THAT(ScoresOf({}), IsEmpty()); }

TEST(ScoresOf, TheOnlyNodeIsTheBest) { EXPECT_THAT(ScoresOf({{"a", -5}}), ElementsAre(10)); }

TEST(ScoresOf, TheBestAloneGetsTen) {
  // Three different ranks: places 0, 1, 2 of 3 give 9, 9 - 3, 9 - 6; the best is lifted to 10.
  EXPECT_THAT(ScoresOf({{"a", 1}, {"b", 3}, {"c", 2}}), ElementsAre(3, 10, 6));
}

TEST(ScoresOf, OfEqualRanksTheFirstByNameIsTheBest) {
  EXPECT_THAT(ScoresOf({{"node-b", 7}, {"node-a", 7}, {"node-c", 7}}), ElementsAre(9, 10, 9));
}

TEST(ScoresOf, EqualRanksGetEqualScores) {
  EXPECT_THAT(ScoresOf({{"a", 9}, {"b", 1}, {"c", 1}, {"d", 9}}), ElementsAre(10, 4, 4, 9));
}

TEST(ScoresOf, PlacesCountNotValues) {
  // A policy's terms differ by orders of magnitude; the middle one is still the middle.
  EXPECT_THAT(ScoresOf({{"a", 1'000'000'000'000}, {"b", 2}, {"c", 1}}), ElementsAre(10, 6, 3));
}

TEST(ScoresOf, StaysBetweenZeroAndTenInRankOrderWithOneTen) {
  constexpr unsigned kSeed = 5;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::string> names;
    std::vector<RankedNode> nodes;
    const std::size_t count = 1 + random() % 200;
    for (std::size_t i = 0; i < count; ++i) {
      names.push_back("node-" + std::to_string(i));
    }
    for (const std::string& name : names) {
      nodes.push_back({name, static_cast<std::int64_t>(random() % 60) - 30});
    }
    const std::vector<int> scores = ScoresOf(nodes);
    ASSERT_EQ(scores.size(), nodes.size());
    EXPECT_EQ(std::count(scores.begin(), scores.end(), 10), 1);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      EXPECT_GE(scores[i], 0);
      for (std::size_t j = 0; j < nodes.size(); ++j) {
        if (nodes[i].rank > nodes[j].rank) {
          EXPECT_GE(scores[i], scores[j]);
        }
      }
    }
  }
}

}  // namespace
}  // namespace aliquot::scoring
