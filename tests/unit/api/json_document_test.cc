// SPDX-License-Identifier: Apache-2.0
#include "api/json_document.h"

#include <gtest/gtest.h>

namespace aliquot::api {
namespace {

std::string Nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

std::string Refusal(std::string_view json, std::size_t max_depth = kMaxRequestDepth) {
  JsonDocument document;
  return document.Parse(json, max_depth).status().message();
}

TEST(JsonDocument, DepthIsBounded) {
  EXPECT_EQ(Refusal(Nested(kMaxRequestDepth - 1)), "");
  EXPECT_EQ(Refusal(Nested(kMaxRequestDepth + 1)),
            "is nested deeper than 64 levels; send less nesting");
  EXPECT_EQ(Refusal(Nested(100000)), "is nested deeper than 64 levels; send less nesting");
  EXPECT_EQ(Refusal(Nested(10000), kMaxApiServerDepth), "");
}

TEST(JsonDocument, RecycledBuffersKeepNoDepthOfAnotherUse) {
  EXPECT_EQ(Refusal(Nested(10000), kMaxApiServerDepth), "");
  EXPECT_NE(Refusal(Nested(100)), "");
  EXPECT_EQ(Refusal(Nested(10000), kMaxApiServerDepth), "");
}

TEST(JsonDocument, WhatIsNotOneJsonValueIsRefused) {
  EXPECT_EQ(Refusal(""), "is empty; send JSON");
  EXPECT_EQ(Refusal("\"\xff\xfe\""), "holds bytes that are not UTF-8; send JSON in UTF-8");
  for (const char* bad :
       {"{", "}", "nul", "{\"a\":1,}", "[1 2]", "{} {}", "{\"a\" 1}", "'a'", " ", "\"a"}) {
    EXPECT_NE(Refusal(bad), "") << bad;
  }
  EXPECT_NE(Refusal("99999999999999999999999"), "");
  EXPECT_NE(Refusal(std::string_view("{\"a\":\"\0\"}", 9)), "");
}

TEST(JsonDocument, DocumentsOfOneThreadDoNotShareBuffers) {
  JsonDocument outer;
  const auto first = outer.Parse(R"({"a":"outer"})", kMaxRequestDepth);
  ASSERT_TRUE(first.ok());
  {
    JsonDocument inner;
    ASSERT_TRUE(inner.Parse(R"({"a":"inner"})", kMaxRequestDepth).ok());
  }
  EXPECT_EQ(std::string_view((*first)["a"]), "outer");
}

TEST(JsonDocument, LargeTextsAreRead) {
  const std::string large = "\"" + std::string(std::size_t{9} << 20, 'x') + "\"";
  JsonDocument document;
  const auto root = document.Parse(large, kMaxRequestDepth);
  ASSERT_TRUE(root.ok());
  EXPECT_EQ(std::string_view(*root).size(), std::size_t{9} << 20);
}

}  // namespace
}  // namespace aliquot::api
