// SPDX-License-Identifier: Apache-2.0
#include "http/chunked_decoder.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace aliquot::http {
namespace {

using State = ChunkedDecoder::State;

struct Decoded {
  State state;
  std::string body;
  std::string rest;
};

// Feeds `step` bytes at a time.
Decoded Decode(std::string_view text, std::size_t step, std::size_t limit = 1000,
               std::size_t trailers = 4) {
  ChunkedDecoder decoder(limit, trailers);
  Decoded decoded{State::kNeedsMore, "", ""};
  while (!text.empty() && decoded.state == State::kNeedsMore) {
    std::string_view part = text.substr(0, step);
    text.remove_prefix(part.size());
    decoded.state = decoder.Consume(part, decoded.body);
    decoded.rest = std::string(part) + std::string(text);
  }
  return decoded;
}

TEST(ChunkedDecoder, DecodesTheSameHoweverTheBytesArrive) {
  const std::string text =
      "5\r\nhello\r\nA;name=value\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\nGET / HTTP/1.1";
  for (std::size_t step = 1; step <= text.size(); ++step) {
    const Decoded decoded = Decode(text, step);
    EXPECT_EQ(decoded.state, State::kComplete) << step;
    EXPECT_EQ(decoded.body, "hello0123456789") << step;
    EXPECT_EQ(decoded.rest, "GET / HTTP/1.1") << step;
  }
}

TEST(ChunkedDecoder, EveryProperPrefixNeedsMore) {
  const std::string text = "3\r\nabc\r\n0\r\n\r\n";
  for (std::size_t size = 1; size < text.size(); ++size) {
    EXPECT_EQ(Decode(text.substr(0, size), 1).state, State::kNeedsMore) << size;
  }
}

TEST(ChunkedDecoder, RefusesWhatTwoReadersCouldReadDifferently) {
  for (const std::string text :
       {"5\nhello\r\n0\r\n\r\n", "5\r\nhello\n0\r\n\r\n", "5\r\nhelloX\r\n0\r\n\r\n",
        "0x5\r\nhello\r\n0\r\n\r\n", "-5\r\nhello\r\n", "+5\r\nhello\r\n", " 5\r\nhello\r\n",
        "5 \r\nhello\r\n", "\r\n", "g\r\n", "5\r;x\r\nhello\r\n", "0\r\n\n"}) {
    EXPECT_EQ(Decode(text, 1).state, State::kMalformed) << text;
    EXPECT_EQ(Decode(text, text.size()).state, State::kMalformed) << text;
  }
}

TEST(ChunkedDecoder, TheLimitHoldsForOneChunkAndForTheSum) {
  EXPECT_EQ(Decode("a\r\n0123456789\r\n0\r\n\r\n", 7, 10).state, State::kComplete);
  const Decoded one = Decode("b\r\n0123456789x\r\n", 7, 10);
  EXPECT_EQ(one.state, State::kTooLarge);
  EXPECT_TRUE(one.body.empty()) << "the announced size is refused before a byte is kept";
  const Decoded sum = Decode("a\r\n0123456789\r\n1\r\nx\r\n", 7, 10);
  EXPECT_EQ(sum.state, State::kTooLarge);
  EXPECT_EQ(sum.body.size(), 10u);
}

TEST(ChunkedDecoder, SizesNearTheEndOfTheNumberRangeAreTooLarge) {
  EXPECT_EQ(Decode("fffffffffffffff\r\n", 1).state, State::kTooLarge);
  EXPECT_EQ(Decode("ffffffffffffffff\r\n", 1).state, State::kTooLarge);
  EXPECT_EQ(Decode("1\r\nx\r\nfffffffffffffff\r\n", 1).state, State::kTooLarge);
}

TEST(ChunkedDecoder, LinesAndTrailersAreBounded) {
  EXPECT_EQ(Decode("1;" + std::string(300, 'x'), 64).state, State::kMalformed);
  EXPECT_EQ(Decode("0\r\n" + std::string(9000, 'x'), 64).state, State::kMalformed);
  EXPECT_EQ(Decode("0\r\na: 1\r\nb: 2\r\nc: 3\r\nd: 4\r\n\r\n", 5).state, State::kComplete);
  EXPECT_EQ(Decode("0\r\na: 1\r\nb: 2\r\nc: 3\r\nd: 4\r\ne: 5\r\n\r\n", 5).state, State::kTooLarge);
}

TEST(ChunkedDecoder, TakesNothingMoreOnceItHasEnded) {
  ChunkedDecoder decoder(10, 0);
  std::string body;
  std::string_view input = "0\r\n\r\n";
  EXPECT_EQ(decoder.Consume(input, body), State::kComplete);
  input = "5\r\nhello\r\n";
  EXPECT_EQ(decoder.Consume(input, body), State::kComplete);
  EXPECT_EQ(input, "5\r\nhello\r\n");
  EXPECT_TRUE(body.empty());
}

}  // namespace
}  // namespace aliquot::http
