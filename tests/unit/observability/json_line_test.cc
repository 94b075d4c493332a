// SPDX-License-Identifier: Apache-2.0
#include "observability/json_line.h"

#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace aliquot::observability {
namespace {

std::string LineWith(std::string_view value) {
  JsonLine line;
  line.AddText("key", value);
  return std::move(line).Finish();
}

TEST(JsonLine, EmptyLineIsAnEmptyObject) { EXPECT_EQ(JsonLine().Finish(), "{}"); }

TEST(JsonLine, KeepsTheOrderInWhichKeysWereAdded) {
  JsonLine line;
  line.AddText("b", "x");
  line.AddInteger("a", -7);
  line.AddFlag("c", true);
  EXPECT_EQ(std::move(line).Finish(), R"({"b":"x","a":-7,"c":true})");
}

TEST(JsonLine, EscapesWhatWouldEndTheStringOrTheLine) {
  EXPECT_EQ(LineWith("a\"b\\c\nd\re\tf"), R"({"key":"a\"b\\c\nd\re\tf"})");
  EXPECT_EQ(LineWith(std::string_view("\0\x1b\x7f", 3)), R"({"key":"\u0000\u001b\u007f"})");
}

TEST(JsonLine, EveryByteComesBackThroughAParser) {
  std::string all;
  for (int byte = 0; byte < 0x80; ++byte) all += static_cast<char>(byte);
  all += "caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80";  // two, three and four byte sequences
  const std::string line = LineWith(all);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(line).at("key"), all);
}

TEST(JsonLine, BytesThatAreNotUtf8BecomeTheReplacementCharacter) {
  const std::string replacement = "\xEF\xBF\xBD";
  for (const std::string bad : {"\xFF", "\x80", "\xC0", "\xC3", "\xF5"}) {
    EXPECT_EQ(LineWith("a" + bad + "b"), "{\"key\":\"a" + replacement + "b\"}") << bad;
  }
  // An overlong slash and a surrogate: each byte is replaced alone.
  EXPECT_EQ(LineWith("\xC0\xAF"), "{\"key\":\"" + replacement + replacement + "\"}");
  EXPECT_EQ(LineWith("\xED\xA0\x80"),
            "{\"key\":\"" + replacement + replacement + replacement + "\"}");
}

TEST(JsonLine, MillisecondsHaveThreeDecimals) {
  JsonLine line;
  line.AddMilliseconds("a", std::chrono::microseconds(1'234'567));
  line.AddMilliseconds("b", std::chrono::nanoseconds(999));
  line.AddMilliseconds("c", std::chrono::microseconds(5));
  line.AddMilliseconds("d", std::chrono::milliseconds(-7));
  EXPECT_EQ(std::move(line).Finish(), R"({"a":1234.567,"b":0.000,"c":0.005,"d":0.000})");
}

}  // namespace
}  // namespace aliquot::observability
