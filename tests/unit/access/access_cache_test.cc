// SPDX-License-Identifier: Apache-2.0
#include "access/access_cache.h"

#include <gtest/gtest.h>

#include <string>

namespace aliquot::access {
namespace {

using Kind = AccessAnswer::Kind;
using std::chrono::milliseconds;
using std::chrono::seconds;

const AccessAnswer kYes{Kind::kAllowed, ""};
const AccessAnswer kNo{Kind::kForbidden, "no"};

TEST(AccessCacheTest, AYesIsKeptForAMinuteAndANoForTenSeconds) {
  AccessCache cache;
  const SteadyTime start{};
  const auto yes = cache.KeyOf("a", "/verify");
  const auto no = cache.KeyOf("b", "/verify");
  cache.Keep(yes, kYes, start);
  cache.Keep(no, kNo, start);
  EXPECT_TRUE(cache.Find(yes, start + milliseconds(59999)));
  EXPECT_FALSE(cache.Find(yes, start + seconds(60)));
  EXPECT_TRUE(cache.Find(no, start + milliseconds(9999)));
  EXPECT_FALSE(cache.Find(no, start + seconds(10)));
}

TEST(AccessCacheTest, TokenAndPathTogetherAreTheKey) {
  AccessCache cache;
  cache.Keep(cache.KeyOf("token", "/metrics"), kYes, SteadyTime{});
  EXPECT_FALSE(cache.Find(cache.KeyOf("token", "/verify"), SteadyTime{}));
  EXPECT_FALSE(cache.Find(cache.KeyOf("token/", "metrics"), SteadyTime{}));
  EXPECT_TRUE(cache.Find(cache.KeyOf("token", "/metrics"), SteadyTime{}));
}

TEST(AccessCacheTest, AnotherProcessHasOtherKeys) {
  EXPECT_NE(AccessCache().KeyOf("token", "/"), AccessCache().KeyOf("token", "/"));
}

TEST(AccessCacheTest, WhatOnlySaysThatNobodyCouldBeAskedIsNotKept) {
  AccessCache cache;
  const auto key = cache.KeyOf("a", "/");
  cache.Keep(key, {Kind::kUnavailable, "away"}, SteadyTime{});
  cache.Keep(key, {Kind::kTooMany, "later"}, SteadyTime{});
  EXPECT_FALSE(cache.Find(key, SteadyTime{}));
}

TEST(AccessCacheTest, AFloodOfRefusalsPushesOutNoPermission) {
  AccessCache::Limits limits;
  limits.entries = 4;
  AccessCache cache(limits);
  const auto good = cache.KeyOf("good", "/");
  cache.Keep(good, kYes, SteadyTime{});
  for (int i = 0; i < 100; ++i) {
    cache.Keep(cache.KeyOf("bad" + std::to_string(i), "/"), kNo, SteadyTime{} + milliseconds(i));
  }
  EXPECT_TRUE(cache.Find(good, SteadyTime{} + seconds(1)));
  EXPECT_EQ(cache.size(), 5u);  // 1 yes, 4 no
  EXPECT_TRUE(cache.Find(cache.KeyOf("bad99", "/"), SteadyTime{} + seconds(1)));
  EXPECT_FALSE(cache.Find(cache.KeyOf("bad0", "/"), SteadyTime{} + seconds(1)));
}

TEST(AccessCacheTest, ALaterAnswerReplacesTheEarlier) {
  AccessCache cache;
  const auto key = cache.KeyOf("a", "/");
  cache.Keep(key, kYes, SteadyTime{});
  cache.Keep(key, kNo, SteadyTime{} + seconds(1));
  EXPECT_FALSE(cache.Find(key, SteadyTime{} + seconds(2))->allowed());
  EXPECT_EQ(cache.size(), 1u);
}

}  // namespace
}  // namespace aliquot::access
