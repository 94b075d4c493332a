// SPDX-License-Identifier: Apache-2.0
#include "simulate/random_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace aliquot::simulate {
namespace {

// The 10,000th number of mt19937_64 from the default seed 5489, by the C++ standard
// ([rand.predef]): the generator is the same everywhere.
TEST(RandomStream, IsTheStandardGenerator) {
  RandomStream random(5489);
  for (int i = 0; i < 9999; ++i) {
    random.Unit();
  }
  EXPECT_EQ(random.Unit(), static_cast<double>(9981545732273789042u >> 11) * 0x1.0p-53);
}

TEST(RandomStream, RepeatsWithTheSameSeedOnly) {
  RandomStream a(7), b(7), c(8);
  const auto first = a.Permutation(50);
  EXPECT_EQ(first, b.Permutation(50));
  EXPECT_NE(first, c.Permutation(50));
}

TEST(RandomStream, BelowReachesEveryNumberAndNoOther) {
  RandomStream random(1);
  std::array<int, 6> counts{};
  for (int i = 0; i < 6000; ++i) {
    const std::uint64_t drawn = random.Below(6);
    ASSERT_LT(drawn, 6u);
    ++counts[drawn];
  }
  for (const int count : counts) {
    EXPECT_NEAR(count, 1000, 150);  // five standard deviations of 29
  }
}

TEST(RandomStream, ShuffleMakesEveryOrderEquallyOften) {
  RandomStream random(2);
  std::array<int, 6> counts{};
  for (int i = 0; i < 6000; ++i) {
    std::vector<int> items = {0, 1, 2};
    random.Shuffle(items);
    ++counts[static_cast<std::size_t>(items[0] * 2 + (items[1] > items[2] ? 1 : 0))];
  }
  for (const int count : counts) {
    EXPECT_NEAR(count, 1000, 150);
  }
}

TEST(RandomStream, APermutationHoldsEachIndexOnce) {
  RandomStream random(3);
  auto order = random.Permutation(100);
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> expected(100);
  std::iota(expected.begin(), expected.end(), std::size_t{0});
  EXPECT_EQ(order, expected);
}

TEST(RandomStream, ExponentialHasItsMean) {
  RandomStream random(4);
  double sum = 0;
  for (int i = 0; i < 20000; ++i) {
    const double drawn = random.Exponential(3);
    ASSERT_GE(drawn, 0);
    sum += drawn;
  }
  EXPECT_NEAR(sum / 20000, 3, 0.11);  // five standard deviations of 3 / sqrt(20000)
}

}  // namespace
}  // namespace aliquot::simulate
