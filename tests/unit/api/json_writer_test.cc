// SPDX-License-Identifier: Apache-2.0
#include "api/json_writer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "api/json_buffer.h"

namespace aliquot::api {
namespace {

std::string Written(std::string_view text) {
  std::string out;
  AppendJsonString(out, text);
  return out;
}

TEST(AppendJsonString, EveryByteReadsBackAsItWas) {
  for (int byte = 0; byte < 0x80; ++byte) {
    const std::string text = "a" + std::string(1, static_cast<char>(byte)) + "b";
    EXPECT_EQ(nlohmann::json::parse(Written(text)).get<std::string>(), text) << byte;
  }
  EXPECT_EQ(nlohmann::json::parse(Written("café 日本 \xf0\x9f\x98\x80")).get<std::string>(),
            "café 日本 \xf0\x9f\x98\x80");
}

TEST(AppendJsonString, BytesThatAreNotUtf8BecomeTheReplacementCharacter) {
  EXPECT_EQ(nlohmann::json::parse(Written("a\xff"
                                          "b"))
                .get<std::string>(),
            "a\xef\xbf\xbd"
            "b");
  EXPECT_EQ(nlohmann::json::parse(Written("cut \xe6\x97")).get<std::string>(), "cut \xef\xbf\xbd");
}

TEST(IsPlainJsonText, FindsTheOneByteThatIsNotWhereverItStands) {
  for (std::size_t length = 1; length <= 24; ++length) {
    const std::string plain(length, '~');
    EXPECT_TRUE(IsPlainJsonText(plain)) << length;
    for (std::size_t at = 0; at < length; ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        std::string text = plain;
        text[at] = static_cast<char>(byte);
        const bool expected = byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
        ASSERT_EQ(IsPlainJsonText(text), expected) << length << " " << at << " " << byte;
      }
    }
  }
  EXPECT_TRUE(IsPlainJsonText(""));
}

TEST(JsonBuffer, GrowsPastItsExpectationAndKeepsWhatWasThere) {
  std::string out = "x";
  JsonBuffer buffer(out, 1);
  buffer.Raw("[");
  buffer.Integer(-12);
  buffer.Raw(",");
  buffer.String(std::string(1000, 'a'));
  buffer.Raw(",");
  buffer.String("q\"é");
  buffer.Raw("]");
  buffer.Finish();
  EXPECT_EQ(out, "x[-12,\"" + std::string(1000, 'a') + "\",\"q\\\"é\"]");
}

TEST(CutAtCharacter, NeverSplitsACharacter) {
  EXPECT_EQ(CutAtCharacter("abc", 5), "abc");
  EXPECT_EQ(CutAtCharacter("abcdef", 3), "abc");
  EXPECT_EQ(CutAtCharacter("日本", 5), "日");
  EXPECT_EQ(CutAtCharacter("日本", 3), "日");
  EXPECT_EQ(CutAtCharacter("日本", 2), "");
}

}  // namespace
}  // namespace aliquot::api
