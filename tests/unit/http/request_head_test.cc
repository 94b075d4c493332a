// SPDX-License-Identifier: Apache-2.0
#include "http/request_head.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace aliquot::http {
namespace {

const HeaderView kHost{"Host", "x"};

HeadLimits SmallLimits() {
  HeadLimits limits;
  limits.max_body_bytes = 100;
  return limits;
}

// 0: accepted.
int StatusOf(std::vector<HeaderView> headers, Framing* framing, bool http_1_0 = false) {
  RequestLine line{"POST", "/", http_1_0};
  const std::optional<Refusal> refusal = CheckFraming(line, headers, SmallLimits(), framing);
  return refusal ? refusal->status : 0;
}

int StatusOf(std::vector<HeaderView> headers) {
  Framing framing;
  return StatusOf(std::move(headers), &framing);
}

TEST(RequestLine, IsMethodTargetAndVersion) {
  RequestLine line;
  ASSERT_FALSE(ParseRequestLine("POST /a?b=c HTTP/1.1", &line).has_value());
  EXPECT_EQ(line.method, "POST");
  EXPECT_EQ(line.target, "/a?b=c");
  EXPECT_FALSE(line.http_1_0);
  ASSERT_FALSE(ParseRequestLine("GET / HTTP/1.0", &line).has_value());
  EXPECT_TRUE(line.http_1_0);
}

TEST(RequestLine, RefusesEverythingElseWithTheStatusThatSaysWhy) {
  struct Case {
    std::string_view text;
    int status;
  };
  const Case cases[] = {
      {"GET /", 400},
      {"GET / HTTP/1.1 x", 400},
      {"GET  / HTTP/1.1", 400},
      {" GET / HTTP/1.1", 400},
      {"G@T / HTTP/1.1", 400},
      {"GET / FTP/1.1", 400},
      {"GET / HTTP/2.0", 505},
      {"GET / HTTP/1.2", 505},
      {"GET /\ta HTTP/1.1", 400},
      {"GET /\x01 HTTP/1.1", 400},
  };
  for (const Case& c : cases) {
    RequestLine line;
    const std::optional<Refusal> refusal = ParseRequestLine(c.text, &line);
    ASSERT_TRUE(refusal.has_value()) << c.text;
    EXPECT_EQ(refusal->status, c.status) << c.text;
  }
}

TEST(HeaderLine, IsNameColonValueWithBlanksTrimmed) {
  HeaderView header;
  ASSERT_FALSE(ParseHeaderLine("Accept: \t a b \t", &header).has_value());
  EXPECT_EQ(header.first, "Accept");
  EXPECT_EQ(header.second, "a b");
  ASSERT_FALSE(ParseHeaderLine("Empty:", &header).has_value());
  EXPECT_EQ(header.second, "");
}

TEST(HeaderLine, RefusesFoldedLinesBlanksInNamesAndControlCharacters) {
  for (const std::string text : {" folded", "\tfolded: x", "Name : value", "no colon", ": no name",
                                 "a\rb: x", "a: x\ry", "a: x\r", "a: \x01"}) {
    HeaderView header;
    const std::optional<Refusal> refusal = ParseHeaderLine(text, &header);
    ASSERT_TRUE(refusal.has_value()) << text;
    EXPECT_EQ(refusal->status, 400) << text;
  }
  HeaderView header;
  EXPECT_TRUE(ParseHeaderLine(std::string_view("a: x\0y", 6), &header).has_value());
}

TEST(Framing, TakesLengthOrChunksAndKeepsTheConnection) {
  Framing framing;
  EXPECT_EQ(StatusOf({kHost, {"Content-Length", "100"}}, &framing), 0);
  EXPECT_EQ(framing.content_length, 100u);
  EXPECT_TRUE(framing.keep_alive);

  framing = Framing();
  EXPECT_EQ(StatusOf({kHost, {"transfer-encoding", "Chunked"}}, &framing), 0);
  EXPECT_TRUE(framing.chunked);

  framing = Framing();
  EXPECT_EQ(StatusOf({kHost, {"Connection", "x, Close"}}, &framing), 0);
  EXPECT_FALSE(framing.keep_alive);

  framing = Framing();
  EXPECT_EQ(StatusOf({}, &framing, true), 0) << "HTTP/1.0 needs no Host";
  EXPECT_FALSE(framing.keep_alive);

  framing = Framing();
  EXPECT_EQ(StatusOf({kHost, {"Expect", "100-Continue"}}, &framing), 0);
  EXPECT_TRUE(framing.expects_continue);
}

TEST(Framing, RefusesEachContradictionWithItsStatus) {
  struct Case {
    std::vector<HeaderView> headers;
    int status;
  };
  const Case cases[] = {
      {{}, 400},
      {{kHost, kHost}, 400},
      {{kHost, {"Content-Length", "1"}, {"content-length", "1"}}, 400},
      {{kHost, {"Content-Length", "1, 1"}}, 400},
      {{kHost, {"Content-Length", "-1"}}, 400},
      {{kHost, {"Content-Length", "+1"}}, 400},
      {{kHost, {"Content-Length", "0x1"}}, 400},
      {{kHost, {"Content-Length", ""}}, 400},
      {{kHost, {"Content-Length", "99999999999999999999"}}, 400},
      {{kHost, {"Content-Length", "101"}}, 413},
      {{kHost, {"Content-Length", "1"}, {"Transfer-Encoding", "chunked"}}, 400},
      {{kHost, {"Transfer-Encoding", "chunked"}, {"Transfer-Encoding", "chunked"}}, 400},
      {{kHost, {"Transfer-Encoding", "gzip, chunked"}}, 501},
      {{kHost, {"Transfer-Encoding", "xchunked"}}, 501},
      {{kHost, {"Content-Encoding", "gzip"}}, 415},
      {{kHost, {"Content-Encoding", "br"}}, 415},
      {{kHost, {"Content-Encoding", "identity"}}, 0},
      {{kHost, {"Range", "bytes=0-1"}}, 400},
      {{kHost, {"Content-Type", "multipart/form-data; boundary=x"}}, 415},
      {{kHost, {"Expect", "something"}}, 417},
  };
  for (const Case& c : cases) {
    std::string shown;
    for (const auto& [name, value] : c.headers) {
      shown += std::string(name) + ": " + std::string(value) + "; ";
    }
    EXPECT_EQ(StatusOf(c.headers), c.status) << shown;
  }
  Framing framing;
  EXPECT_EQ(StatusOf({{"Transfer-Encoding", "chunked"}}, &framing, true), 400);
}

}  // namespace
}  // namespace aliquot::http
