// SPDX-License-Identifier: Apache-2.0
#include "topology/remaining_table.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/unit/topology/set_shapes.h"

namespace aliquot::topology {
namespace {

TEST(Remaining, CountsWhatLaterPodsLose) {
  // 0-1 100 GB/s, 0-2 24, 0-3 16, 1-2 18, 1-3 20, 2-3 50; card 3 in use; NUMA nodes unknown.
  // {0,1}: 100 - 12 x (24 + 18) - 3 x (16 + 20) = -512.
  const SetShape shape = ShapeOf({100, 24, 16, 18, 20, 50}, {-1, -1, -1, -1});
  EXPECT_EQ(RemainingAfter(shape, 0b0011, 0b0111), -512 * kWorthOfOneGbps);
  EXPECT_EQ(RemainingTable(shape).After(0b0011, 0b0111), -512 * kWorthOfOneGbps);
}

TEST(Remaining, APairOnOneKnownNumaNodeCountsOneMore) {
  // Free 0, 1, 2; 0 and 1 on NUMA node 0, 2 and 3 on 1. {0}: -12 x (10 + 10) - 3 x 10 = -270, and
  // -12 for its pair with 1. {2}: -270, and -3 for its pair with 3, which is in use.
  const SetShape shape = ShapeOf(std::vector<int>(6, 10), {0, 0, 1, 1});
  EXPECT_EQ(RemainingAfter(shape, 0b0001, 0b0111), -270 * kWorthOfOneGbps - 12);
  EXPECT_EQ(RemainingAfter(shape, 0b0100, 0b0111), -270 * kWorthOfOneGbps - 3);
}

TEST(Remaining, TableAndSumsEqualTheExpectedWorthPairByPair) {
  constexpr unsigned kSeed = 5;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  const SetShape shape = RandomShape(random, 6);
  const RemainingTable table(shape);
  const PlainObjective plain(shape);
  for (CardSet free = 0; free <= shape.all(); ++free) {
    for (CardSet set = free; set != 0; set = (set - 1) & free) {
      ASSERT_EQ(table.After(set, free), plain.Remaining(set, free)) << set << " of " << free;
      ASSERT_EQ(RemainingAfter(shape, set, free), plain.Remaining(set, free)) << set;
    }
  }
}

}  // namespace
}  // namespace aliquot::topology
