// SPDX-License-Identifier: Apache-2.0
#include "interposer/launch_costs.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>

namespace aliquot::interposer {
namespace {

class LaunchCostsTest : public ::testing::Test {
 protected:
  static std::uint64_t Key(std::uint64_t word) { return LaunchKeyOf(&word, 1); }
  std::unique_ptr<LaunchCosts> costs_ = std::make_unique<LaunchCosts>();
};

TEST_F(LaunchCostsTest, OneKeyHasOneEntry) {
  LaunchCost& first = FindCost(*costs_, Key(1));
  LaunchCost& second = FindCost(*costs_, Key(2));
  EXPECT_NE(&first, &second);
  EXPECT_EQ(&FindCost(*costs_, Key(1)), &first);
  EXPECT_EQ(EstimatedCost(first, 0), 0U);
}

TEST_F(LaunchCostsTest, EveryWordOfAKeyCounts) {
  std::set<std::uint64_t> keys;
  for (std::uint64_t i = 0; i < 4; ++i) {
    std::uint64_t words[4] = {7, 7, 7, 7};
    words[i] = 8;
    keys.insert(LaunchKeyOf(words, 4));
  }
  EXPECT_EQ(keys.size(), 4U);
}

TEST_F(LaunchCostsTest, TheLeastOfTheLastSamplesCounts) {
  LaunchCost& cost = FindCost(*costs_, Key(1));
  AddSample(cost, 500, 0);
  AddSample(cost, 100, 0);
  AddSample(cost, 900, 0);
  EXPECT_EQ(EstimatedCost(cost, 0), 100U);
}

TEST_F(LaunchCostsTest, WhatBecameSlowerIsKnownAfterTwoWindows) {
  LaunchCost& cost = FindCost(*costs_, Key(1));
  AddSample(cost, 100, 0);
  for (std::uint32_t i = 1; i < 3 * kSamplesPerWindow; ++i) {
    AddSample(cost, 700, 0);
  }
  EXPECT_EQ(EstimatedCost(cost, 0), 700U);
}

TEST_F(LaunchCostsTest, TheWholeSpreadIsTheMean) {
  LaunchCost& cost = FindCost(*costs_, Key(1));
  for (int i = 0; i < 200; ++i) {
    AddSample(cost, i % 2 == 0 ? 8'000 : 24'000, 0);
  }
  EXPECT_EQ(EstimatedCost(cost, 0), 8'000U);
  EXPECT_NEAR(static_cast<double>(EstimatedCost(cost, kWholeSpread)), 16'000.0, 1'000.0);
  EXPECT_LT(EstimatedCost(cost, 1), EstimatedCost(cost, 2));
}

TEST_F(LaunchCostsTest, SamplesBecomeRarer) {
  LaunchCost& cost = FindCost(*costs_, Key(1));
  AddSample(cost, 100, 0);
  const std::uint64_t first = cost.due_ns;
  for (int i = 0; i < 1000; ++i) {
    AddSample(cost, 100, 0);
  }
  EXPECT_GT(cost.due_ns, 10 * first);
  EXPECT_LE(cost.due_ns, 200'000'000U);
}

TEST_F(LaunchCostsTest, AFullTableForgetsRatherThanFails) {
  for (std::uint64_t i = 1; i <= 20 * kLaunchCosts; ++i) {
    LaunchCost& cost = FindCost(*costs_, Key(i));
    ASSERT_EQ(cost.key, Key(i));
    ASSERT_EQ(EstimatedCost(cost, 0), 0U) << "another kind's cost was kept";
    AddSample(cost, i, 0);
  }
}

}  // namespace
}  // namespace aliquot::interposer
