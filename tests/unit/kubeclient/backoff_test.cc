// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/backoff.h"

#include <gtest/gtest.h>

#include <set>

namespace aliquot::kubeclient {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

BackoffOptions Options() {
  BackoffOptions options;
  options.base = milliseconds(100);
  options.cap = milliseconds(1000);
  options.max_retry_after = milliseconds(5000);
  return options;
}

TEST(Backoff, DoublesTheRangeUpToTheCap) {
  Backoff backoff(Options(), [] { return 0.5; });  // the middle of each range
  for (const int expected : {50, 100, 200, 400, 500, 500}) {
    EXPECT_EQ(backoff.Next(), milliseconds(expected));
  }
}

TEST(Backoff, StartsOverAfterASuccess) {
  Backoff backoff(Options(), [] { return 0.5; });
  backoff.Next();
  backoff.Next();
  backoff.Reset();
  EXPECT_EQ(backoff.Next(), milliseconds(50));
}

TEST(Backoff, FullJitterCoversTheWholeRange) {
  UniformSource uniform = SeededUniform(7);
  std::set<int> tenths;
  for (int i = 0; i < 1000; ++i) {
    Backoff backoff(Options(), uniform);
    const auto delay = backoff.Next();
    ASSERT_GE(delay, milliseconds(0));
    ASSERT_LT(delay, milliseconds(100));
    tenths.insert(static_cast<int>(delay.count() / 10));
  }
  EXPECT_EQ(tenths.size(), 10u);
}

TEST(Backoff, ManyFailuresDoNotOverflow) {
  Backoff backoff(Options(), [] { return 0.999; });
  for (int i = 0; i < 200; ++i) {
    const auto delay = backoff.Next();
    ASSERT_GE(delay, milliseconds(0));
    ASSERT_LE(delay, milliseconds(1000));
  }
}

TEST(Backoff, RetryAfterIsWaitedOutAndSpread) {
  Backoff backoff(Options(), [] { return 0.5; });
  EXPECT_EQ(backoff.Next(seconds(2)), milliseconds(2050));
}

TEST(Backoff, RetryAfterIsBounded) {
  Backoff backoff(Options(), [] { return 0.0; });
  EXPECT_EQ(backoff.Next(seconds(86400)), milliseconds(5000));
}

TEST(Backoff, ReadsRetryAfterInSecondsOnly) {
  EXPECT_EQ(ParseRetryAfter("7"), seconds(7));
  EXPECT_EQ(ParseRetryAfter(" 7 "), seconds(7));
  EXPECT_EQ(ParseRetryAfter("0"), seconds(0));
  EXPECT_EQ(ParseRetryAfter("9000000000000000000"), seconds(86400));
  for (const char* bad : {"", "-1", "1.5", "Fri, 31 Dec 1999 23:59:59 GMT"}) {
    EXPECT_EQ(ParseRetryAfter(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace aliquot::kubeclient
