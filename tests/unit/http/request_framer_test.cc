// SPDX-License-Identifier: Apache-2.0
#include "http/request_framer.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace aliquot::http {
namespace {

using State = RequestFramer::State;

class RequestFramerTest : public testing::Test {
 protected:
  static HeadLimits Limits() {
    HeadLimits limits;
    limits.max_headers = 4;
    limits.max_head_bytes = 20000;
    limits.max_body_bytes = 100;
    return limits;
  }

  // Feeds `step` bytes at a time; returns what the framer left.
  std::string Feed(std::string_view text, std::size_t step) {
    while (!text.empty() && framer_.state() == State::kNeedsMore) {
      std::string_view part = text.substr(0, step);
      text.remove_prefix(part.size());
      framer_.Consume(part);
      if (!part.empty()) return std::string(part) + std::string(text);
    }
    return std::string(text);
  }

  int RefusalOf(std::string_view text) {
    framer_.Reset();
    Feed(text, text.size());
    return framer_.state() == State::kRefused ? framer_.refusal().status : 0;
  }

  BodyBudget budget_{150};
  RequestFramer framer_{Limits(), budget_};
};

TEST_F(RequestFramerTest, CutsTheSameRequestHoweverTheBytesArrive) {
  const std::string request =
      "POST /bind?x=1 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nX: \t v \r\n\r\nhello";
  const std::string next = "GET / HTTP/1.1\r\n";
  for (std::size_t step = 1; step <= request.size() + next.size(); ++step) {
    framer_.Reset();
    const std::string text = request + next;
    const std::string left = Feed(text, step);
    ASSERT_EQ(framer_.state(), State::kComplete) << step;
    EXPECT_EQ(framer_.line().method, "POST");
    EXPECT_EQ(framer_.request_line_text(), "POST /bind?x=1 HTTP/1.1");
    ASSERT_EQ(framer_.headers().size(), 3u);
    EXPECT_EQ(framer_.headers()[2], HeaderView("X", "v"));
    EXPECT_EQ(framer_.body(), "hello");
    EXPECT_EQ(left, next) << step;
    EXPECT_TRUE(framer_.keep_alive());
  }
}

TEST_F(RequestFramerTest, CutsAChunkedBody) {
  const std::string text =
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: "
      "chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\nZ";
  for (std::size_t step = 1; step <= text.size(); ++step) {
    framer_.Reset();
    EXPECT_EQ(Feed(text, step), "Z") << step;
    ASSERT_EQ(framer_.state(), State::kComplete) << step;
    EXPECT_EQ(framer_.body(), "abcde");
  }
}

TEST_F(RequestFramerTest, LimitsHoldWhileBytesArriveNotOnlyAtTheEnd) {
  const std::string line = "GET / HTTP/1.1\r\n";
  EXPECT_EQ(RefusalOf("GET /" + std::string(8010, 'a')), 414) << "no line end is needed";
  EXPECT_EQ(RefusalOf(line + "A: " + std::string(8010, 'a')), 431);
  EXPECT_EQ(RefusalOf(line + "a: 1\r\nb: 2\r\nc: 3\r\nHost: x\r\n\r\n"), 0);
  EXPECT_EQ(RefusalOf(line + "a: 1\r\nb: 2\r\nc: 3\r\nd: 4\r\ne: 5\r\n"), 431);
  const std::string long_header = ": " + std::string(7000, 'a') + "\r\n";
  EXPECT_EQ(RefusalOf(line + "a" + long_header + "b" + long_header + "c" + long_header), 431);
  EXPECT_EQ(RefusalOf("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 101\r\n\r\n"), 413);
  EXPECT_EQ(RefusalOf("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n65\r\n"),
            413);
}

TEST_F(RequestFramerTest, ARefusedHeadLeavesTheBodyUnread) {
  const std::string left =
      Feed("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx", 500);
  EXPECT_EQ(framer_.state(), State::kRefused);
  EXPECT_EQ(framer_.refusal().status, 400);
  EXPECT_EQ(left, "x");
  EXPECT_FALSE(framer_.keep_alive()) << "what follows could be read as another request";
}

TEST_F(RequestFramerTest, BareLineFeedsAreRefused) {
  EXPECT_EQ(RefusalOf("GET / HTTP/1.1\nHost: a\n\n"), 400);
  EXPECT_EQ(RefusalOf("GET / HTTP/1.1\r\nHost: a\n\r\n"), 400);
  EXPECT_EQ(RefusalOf("\r\nGET / HTTP/1.1\r\n"), 400);
  EXPECT_EQ(RefusalOf("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\nx\r\n"),
            400);
}

TEST_F(RequestFramerTest, ContinueIsWantedOnceAndOnlyBeforeTheBodyIsThere) {
  const std::string head =
      "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n";
  Feed(head, head.size());
  EXPECT_TRUE(framer_.TakeExpectContinue());
  EXPECT_FALSE(framer_.TakeExpectContinue());
  framer_.Reset();
  Feed(head + "ab", head.size() + 2);
  EXPECT_EQ(framer_.state(), State::kComplete);
  EXPECT_FALSE(framer_.TakeExpectContinue());
}

TEST_F(RequestFramerTest, BodiesShareABudgetAndGiveItBack) {
  RequestFramer other(Limits(), budget_);
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n";
  Feed(head, head.size());
  std::string_view text = head;
  EXPECT_EQ(other.Consume(text), State::kRefused);
  EXPECT_EQ(other.refusal().status, 503);
  framer_.Reset();
  other.Reset();
  text = head;
  EXPECT_EQ(other.Consume(text), State::kNeedsMore);
}

TEST_F(RequestFramerTest, ChunkedBodiesCountAgainstTheBudgetAsTheyGrow) {
  ASSERT_TRUE(budget_.Reserve(100));
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  Feed(head + "32\r\n" + std::string(50, 'x') + "\r\n", 1000);
  EXPECT_EQ(framer_.state(), State::kNeedsMore);
  Feed("1\r\nx\r\n", 100);
  EXPECT_EQ(framer_.refusal().status, 503);
}

TEST_F(RequestFramerTest, StartedTellsAnIdleConnectionFromAHalfRequest) {
  EXPECT_FALSE(framer_.started());
  Feed("G", 1);
  EXPECT_TRUE(framer_.started());
}

}  // namespace
}  // namespace aliquot::http
