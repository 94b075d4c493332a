// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <gtest/gtest.h>

namespace aliquot {
namespace {

TEST(FakeClock, MovesOnlyWhenTold) {
  FakeClock clock;
  const SteadyTime start = clock.SteadyNow();
  EXPECT_EQ(clock.SteadyNow(), start);
  clock.Advance(std::chrono::seconds(5));
  EXPECT_EQ(clock.SteadyNow() - start, std::chrono::seconds(5));
}

TEST(FormatMicroTime, AlwaysWritesSixFractionalDigits) {
  // The API server refuses a MicroTime without them.
  EXPECT_EQ(FormatMicroTime(SystemTime(std::chrono::seconds(0))), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(FormatMicroTime(SystemTime(std::chrono::microseconds(1700000000000042))),
            "2023-11-14T22:13:20.000042Z");
}

}  // namespace
}  // namespace aliquot
