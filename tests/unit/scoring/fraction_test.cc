// SPDX-License-Identifier: Apache-2.0
#include "scoring/fraction.h"

#include <gtest/gtest.h>

#include <cmath>

namespace aliquot::scoring {
namespace {

TEST(Fraction, PartsAndProductsAreRoundedDown) {
  EXPECT_EQ(FractionOf(1, 4), kOne / 4);
  EXPECT_EQ(Times(1000, kOne / 4), 250);
  EXPECT_EQ(Times(3, kOne / 2), 1);
  EXPECT_EQ(Rounded(7, 2), 4);
}

TEST(Fraction, ThePowerOfEIsRightToSevenDigits) {
  EXPECT_EQ(ExpOfMinus(0), kOne);
  EXPECT_EQ(ExpOfMinus(kOne * 60), 0);
  for (int tenths = 0; tenths <= 250; ++tenths) {
    const double exact = std::exp(-0.1 * tenths);
    const double ours = static_cast<double>(ExpOfMinus(kOne / 10 * tenths)) / kOne;
    EXPECT_NEAR(ours, exact, 1.0 / (1 << 26)) << tenths;
  }
}

TEST(Fraction, ThePowerOfENeverGrows) {
  Fraction before = kOne;
  for (int i = 1; i <= 4000; ++i) {
    const Fraction now = ExpOfMinus(kOne / 100 * i);
    EXPECT_LE(now, before) << i;
    before = now;
  }
}

}  // namespace
}  // namespace aliquot::scoring
