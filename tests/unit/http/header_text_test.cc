// SPDX-License-Identifier: Apache-2.0
#include "http/header_text.h"

#include <gtest/gtest.h>

#include <string>

namespace aliquot::http {
namespace {

TEST(HeaderText, NamesCompareWithoutCaseAndWithLength) {
  EXPECT_TRUE(EqualsIgnoringCase("Content-Length", "content-LENGTH"));
  EXPECT_FALSE(EqualsIgnoringCase("Content-Length", "Content-Lengt"));
  EXPECT_FALSE(EqualsIgnoringCase("a", "b"));
  // '[' and '{' differ by the same bit as upper and lower case do.
  EXPECT_FALSE(EqualsIgnoringCase("[", "{"));
}

TEST(HeaderText, TokensHaveNoBlankNoSeparatorAndNoNul) {
  EXPECT_TRUE(IsToken("X-Custom_1~"));
  EXPECT_FALSE(IsToken(""));
  EXPECT_FALSE(IsToken("a b"));
  EXPECT_FALSE(IsToken("a:b"));
  EXPECT_FALSE(IsToken("a/b"));
  EXPECT_FALSE(IsToken(std::string_view("a\0b", 3)));
  EXPECT_FALSE(IsToken("\xc3\xa9"));
}

TEST(HeaderText, FieldValuesMayHoldTabsAndHighBytesOnly) {
  EXPECT_TRUE(IsFieldValue("a\tb \xc3\xa9"));
  EXPECT_TRUE(IsFieldValue(""));
  EXPECT_FALSE(IsFieldValue("a\rb"));
  EXPECT_FALSE(IsFieldValue(std::string_view("a\0b", 3)));
  EXPECT_FALSE(IsFieldValue("a\x7f"));
}

TEST(HeaderText, ListsAreSearchedByWholeWord) {
  EXPECT_TRUE(ListContains("keep-alive, Close", "close"));
  EXPECT_TRUE(ListContains("close", "close"));
  EXPECT_FALSE(ListContains("closed, disclose", "close"));
  EXPECT_FALSE(ListContains("", "close"));
}

TEST(HeaderText, MediaTypeDropsParameters) {
  EXPECT_EQ(MediaType("application/json; charset=utf-8"), "application/json");
  EXPECT_EQ(MediaType(" application/json "), "application/json");
  EXPECT_EQ(MediaType(""), "");
}

}  // namespace
}  // namespace aliquot::http
