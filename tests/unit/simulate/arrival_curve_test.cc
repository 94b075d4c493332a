// SPDX-License-Identifier: Apache-2.0
#include "simulate/arrival_curve.h"

#include <gtest/gtest.h>

namespace aliquot::simulate {
namespace {

TEST(ArrivalCurve, IsTheMeanOfTheEventsThatRoundToAPercent) {
  ArrivalCurve curve;
  curve.Add(94.49, 1);  // 94
  curve.Add(94.5, 10);  // 95
  curve.Add(95.0, 20);
  curve.Add(95.49, 60);
  curve.Add(95.5, 1000);        // 96
  EXPECT_EQ(curve.At(95), 30);  // (10 + 20 + 60) / 3
  EXPECT_EQ(curve.At(94), 1);
  EXPECT_EQ(curve.size(), 97u);
}

TEST(ArrivalCurve, HasNoValueWhereNoEventFalls) {
  ArrivalCurve curve;
  curve.Add(100, 1);
  EXPECT_FALSE(curve.At(99).has_value());
  EXPECT_FALSE(curve.At(130).has_value());
}

TEST(ArrivalCurve, TakesTheNearestLowerPercentWhereAnEventJumpsOver) {
  ArrivalCurve curve;
  curve.Add(80, 7);
  curve.Add(120, 9);
  EXPECT_EQ(curve.AtOrBefore(95), 7);
  EXPECT_EQ(curve.AtOrBefore(130), 9);
  EXPECT_FALSE(curve.AtOrBefore(79).has_value());
}

}  // namespace
}  // namespace aliquot::simulate
