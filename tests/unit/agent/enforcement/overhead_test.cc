// SPDX-License-Identifier: Apache-2.0
#include "agent/enforcement/overhead.h"

#include <gtest/gtest.h>

namespace aliquot::agent {
namespace {

TEST(OverheadWindow, IsTheLeastOfTheLastThreeLooks) {
  OverheadWindow window;
  window.Add(500, 200, 200);  // 300
  EXPECT_EQ(window.bytes(), 0U) << "two looks are still to come";
  window.Add(400, 200, 200);  // 200
  window.Add(600, 200, 200);  // 400
  EXPECT_EQ(window.bytes(), 200U);
  window.Add(600, 200, 200);
  window.Add(600, 200, 200);
  EXPECT_EQ(window.bytes(), 400U);
}

// An allocation of 300 lands between the driver's answer (500) and the second sum.
TEST(OverheadWindow, AnAllocationUnderWayCountsForTheContainer) {
  OverheadWindow window(1000);
  window.Add(500, 200, 500);  // 500 - max(200, 500) = 0
  EXPECT_EQ(window.bytes(), 0U);
}

TEST(OverheadWindow, MoreChargedThanTheDriverCountsIsNoOverhead) {
  OverheadWindow window(7);
  window.Add(100, 900, 900);
  EXPECT_EQ(window.bytes(), 0U);
}

TEST(OverheadWindow, WhatWasCarriedHoldsUntilThreeLooksSayOtherwise) {
  OverheadWindow window(300);
  EXPECT_EQ(window.bytes(), 300U);
  window.Add(900, 100, 100);
  window.Add(900, 100, 100);
  EXPECT_EQ(window.bytes(), 300U);
  window.Add(900, 100, 100);
  EXPECT_EQ(window.bytes(), 800U);
}

// A container that sets its own charges to 0 has all that the driver counts against it, a second
// later.
TEST(OverheadWindow, ChargesThatAreWipedComeBackAsOverheadWithinThreeLooks) {
  OverheadWindow window;
  for (int i = 0; i < 3; ++i) {
    window.Add(1000, 900, 900);
  }
  EXPECT_EQ(window.bytes(), 100U);
  for (int i = 0; i < 3; ++i) {
    window.Add(1000, 0, 0);
  }
  EXPECT_EQ(window.bytes(), 1000U);
}

}  // namespace
}  // namespace aliquot::agent
