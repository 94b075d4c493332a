// SPDX-License-Identifier: Apache-2.0
#include "cli/set_answer.h"

#include <gtest/gtest.h>

namespace aliquot::cli {
namespace {

using topology::SetOrder;
using topology::SetValue;

SetValue Value(int ring, int pairs, int numa, std::int64_t remaining = 0) {
  SetValue value;
  value.of = {ring, pairs, numa};
  value.remaining = remaining;
  return value;
}

// 50 * 2^34 + 300 * 2^7 + (64 - 2).
TEST(SetScore, PacksTheTermsThatDecideFirst) {
  EXPECT_EQ(ScoreOf(Value(50, 300, 2), SetOrder::kBestConnected),
            (std::int64_t{50} << 34) + (300 << 7) + 62);
}

TEST(SetScore, OrdersAsTheTermsDo) {
  const std::vector<SetValue> best_first = {Value(50, 1, 9), Value(49, 2016 * 65535, 1),
                                            Value(49, 7, 1), Value(49, 7, 2),
                                            Value(49, 6, 1), Value(0, 0, 64)};
  for (std::size_t i = 1; i < best_first.size(); ++i) {
    EXPECT_GT(ScoreOf(best_first[i - 1], SetOrder::kBestConnected),
              ScoreOf(best_first[i], SetOrder::kBestConnected))
        << i;
  }
}

TEST(SetScore, StaysExactInADouble) {
  const std::int64_t largest = ScoreOf(Value(65535, 2016 * 65535, 0), SetOrder::kBestConnected);
  EXPECT_LT(largest, std::int64_t{1} << 53);
}

TEST(SetScore, IsWhatRemainsWhereThatDecidesFirst) {
  EXPECT_EQ(ScoreOf(Value(50, 300, 2, -77), SetOrder::kLeavesMost), -77);
}

}  // namespace
}  // namespace aliquot::cli
