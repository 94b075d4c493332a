// SPDX-License-Identifier: Apache-2.0
#include "extender/answer_cache.h"

#include <gtest/gtest.h>

namespace aliquot::extender {
namespace {

std::shared_ptr<const FilterAnswer> AnswerOf(std::string body) {
  auto answer = std::make_shared<FilterAnswer>();
  answer->body = std::move(body);
  return answer;
}

TEST(AnswerCacheTest, FindsOnlyTheVeryQuestion) {
  AnswerCache cache(1 << 20);
  cache.Store({"u1", 7, 1}, AnswerOf("a"));
  ASSERT_NE(cache.Find({"u1", 7, 1}), nullptr);
  EXPECT_EQ(cache.Find({"u1", 7, 1})->body, "a");
  EXPECT_EQ(cache.Find({"u1", 8, 1}), nullptr);
  EXPECT_EQ(cache.Find({"u1", 7, 2}), nullptr);
  EXPECT_EQ(cache.Find({"u2", 7, 1}), nullptr);
}

TEST(AnswerCacheTest, KeepsOneAnswerAPod) {
  AnswerCache cache(1 << 20);
  cache.Store({"u1", 7, 1}, AnswerOf("a"));
  const std::size_t bytes = cache.bytes();
  cache.Store({"u1", 8, 1}, AnswerOf("b"));
  EXPECT_EQ(cache.Find({"u1", 7, 1}), nullptr);
  EXPECT_EQ(cache.Find({"u1", 8, 1})->body, "b");
  EXPECT_EQ(cache.bytes(), bytes);
}

TEST(AnswerCacheTest, LeastRecentlyUsedGoesFirst) {
  AnswerCache cache(4000);
  cache.Store({"u1", 1, 1}, AnswerOf(std::string(1000, 'a')));
  cache.Store({"u2", 1, 1}, AnswerOf(std::string(1000, 'b')));
  cache.Store({"u3", 1, 1}, AnswerOf(std::string(1000, 'c')));
  ASSERT_NE(cache.Find({"u1", 1, 1}), nullptr);  // u2 is now the oldest
  cache.Store({"u4", 1, 1}, AnswerOf(std::string(1000, 'd')));
  EXPECT_NE(cache.Find({"u1", 1, 1}), nullptr);
  EXPECT_EQ(cache.Find({"u2", 1, 1}), nullptr);
  EXPECT_NE(cache.Find({"u3", 1, 1}), nullptr);
  EXPECT_LE(cache.bytes(), 4000u);
}

TEST(AnswerCacheTest, AnAnswerLargerThanTheCacheIsNotKept) {
  AnswerCache cache(500);
  cache.Store({"u1", 1, 1}, AnswerOf(std::string(1000, 'a')));
  EXPECT_EQ(cache.Find({"u1", 1, 1}), nullptr);
  EXPECT_EQ(cache.bytes(), 0u);
}

}  // namespace
}  // namespace aliquot::extender
