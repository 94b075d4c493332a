// SPDX-License-Identifier: Apache-2.0
#include "base/strings.h"

#include <gtest/gtest.h>

namespace aliquot {
namespace {

TEST(ParseUnsigned, TakesDecimalDigitsOnly) {
  EXPECT_EQ(ParseUnsigned("0"), 0);
  EXPECT_EQ(ParseUnsigned("9223372036854775807"), INT64_MAX);
  for (const char* bad :
       {"", "-1", "+1", " 1", "1 ", "1k", "0.5", "1e3", "9223372036854775808", "0x10"}) {
    EXPECT_FALSE(ParseUnsigned(bad).has_value()) << bad;
  }
}

TEST(Split, KeepsEmptyParts) {
  EXPECT_EQ(Split("a,,b", ',').size(), 3u);
  EXPECT_EQ(Split("", ',').size(), 1u);
}

TEST(Printable, CannotBreakALineOrFloodIt) {
  EXPECT_EQ(Printable("a\nb\x7f"), "a?b?");
  EXPECT_EQ(Printable("a\xc2\x9b[m\xc2\x80"), "a?[m?");
  const std::string words = "25 \xc2\xb0, gr\xc3\xb6\xc3\x9f";  // no controls
  EXPECT_EQ(Printable(words), words);
  EXPECT_EQ(Printable(std::string(100, 'x'), 5), "xxxxx...");
}

}  // namespace
}  // namespace aliquot
