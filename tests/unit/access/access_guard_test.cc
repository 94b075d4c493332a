// SPDX-License-Identifier: Apache-2.0
#include "access/access_guard.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <string>
#include <vector>

namespace aliquot::access {
namespace {

using Kind = AccessAnswer::Kind;

class ScriptedReviewer final : public AccessReviewer {
 public:
  AccessAnswer Review(std::string_view token, std::string_view path) override {
    asked.push_back(std::string(token) + " " + std::string(path));
    return answer;
  }

  AccessAnswer answer{Kind::kAllowed, ""};
  std::vector<std::string> asked;
};

class AccessGuardTest : public ::testing::Test {
 protected:
  http::Response Get(const std::vector<http::HeaderView>& headers,
                     std::string_view path = "/verify") {
    http::Request request;
    request.method = "GET";
    request.path = path;
    request.remote_address = "10.0.0.7:41234";
    request.headers = headers;
    return guard_.Guard([](const http::Request&) { return http::JsonResponse("{}"); })(request);
  }

  FakeClock clock_;
  ScriptedReviewer reviewer_;
  AccessGuard guard_{reviewer_, clock_};
};

TEST_F(AccessGuardTest, TakesTheTokenOfEitherHeader) {
  EXPECT_EQ(Get({{"authorization", "bearer one"}}).status, 200);
  EXPECT_EQ(Get({{"x-aliquot-token", "two"}}).status, 200);
  EXPECT_EQ(Get({{"Authorization", "Bearer three"}, {"X-Aliquot-Token", "four"}}).status, 200);
  EXPECT_EQ(reviewer_.asked,
            (std::vector<std::string>{"one /verify", "two /verify", "four /verify"}));
}

TEST_F(AccessGuardTest, WithoutATokenNobodyIsAsked) {
  for (const auto& headers :
       std::vector<std::vector<http::HeaderView>>{{},
                                                  {{"Authorization", "Basic dTpw"}},
                                                  {{"Authorization", "Bearer "}},
                                                  {{"X-Aliquot-Token", ""}},
                                                  {{"X-Aliquot-Token", "a b"}},
                                                  {{"X-Aliquot-Token", "a\x01"}}}) {
    const http::Response response = Get(headers);
    EXPECT_EQ(response.status, 401);
    EXPECT_NE(response.body.find("Bearer TOKEN"), std::string::npos);
  }
  const std::string endless(100000, 'x');
  EXPECT_EQ(Get({{"X-Aliquot-Token", endless}}).status, 401);
  EXPECT_TRUE(reviewer_.asked.empty());
}

TEST_F(AccessGuardTest, AYesHoldsForAMinuteOnItsPathOnly) {
  EXPECT_EQ(Get({{"X-Aliquot-Token", "t"}}).status, 200);
  reviewer_.answer = {Kind::kForbidden, "u may not"};
  EXPECT_EQ(Get({{"X-Aliquot-Token", "t"}}, "/metrics").status, 403);
  clock_.Advance(std::chrono::seconds(59));
  EXPECT_EQ(Get({{"X-Aliquot-Token", "t"}}).status, 200);
  clock_.Advance(std::chrono::seconds(1));
  EXPECT_EQ(Get({{"X-Aliquot-Token", "t"}}).status, 403);
  EXPECT_EQ(reviewer_.asked.size(), 3u);
}

TEST_F(AccessGuardTest, ARefusalIsForgottenAfterTenSeconds) {
  reviewer_.answer = {Kind::kForbidden, "u may not"};
  EXPECT_EQ(Get({{"X-Aliquot-Token", "t"}}).status, 403);
  reviewer_.answer = {Kind::kAllowed, ""};
  EXPECT_EQ(Get({{"X-Aliquot-Token", "t"}}).body, "u may not\n");
  clock_.Advance(std::chrono::seconds(10));
  EXPECT_EQ(Get({{"X-Aliquot-Token", "t"}}).status, 200);
}

TEST_F(AccessGuardTest, AnApiServerThatIsAwayIs503AndAskedAgain) {
  reviewer_.answer = {Kind::kUnavailable, "the API server is away"};
  const http::Response response = Get({{"X-Aliquot-Token", "t"}});
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(response.body, "the API server is away\n");
  reviewer_.answer = {Kind::kAllowed, ""};
  EXPECT_EQ(Get({{"X-Aliquot-Token", "t"}}).status, 200);
}

TEST_F(AccessGuardTest, AFloodOfTokensReachesTheApiServerInItsBudgetOnly) {
  EXPECT_EQ(Get({{"X-Aliquot-Token", "good"}}).status, 200);
  reviewer_.answer = {Kind::kUnknownCaller, "unknown"};
  int limited = 0;
  for (int i = 0; i < 100; ++i) {
    const std::string token = "bad" + std::to_string(i);
    limited += Get({{"X-Aliquot-Token", token}}).status == 429 ? 1 : 0;
  }
  EXPECT_EQ(limited, 91);  // a burst of 10, one of them spent on the good token
  EXPECT_EQ(Get({{"X-Aliquot-Token", "good"}}).status, 200);
}

TEST_F(AccessGuardTest, ARefusalSaysHowToProveOneself) {
  reviewer_.answer = {Kind::kUnknownCaller, "unknown"};
  const http::Response response = Get({{"X-Aliquot-Token", "secret-token"}});
  EXPECT_EQ(response.headers.at(0),
            (std::pair<std::string, std::string>("WWW-Authenticate", "Bearer")));
  EXPECT_EQ(response.body.find("secret-token"), std::string::npos);
}

// Holds those who ask until it is let go.
class SlowReviewer final : public AccessReviewer {
 public:
  AccessAnswer Review(std::string_view token, std::string_view) override {
    if (token != "known") {
      ++asked;
      opened.wait();
    }
    return {Kind::kAllowed, ""};
  }

  std::atomic<int> asked{0};
  std::promise<void> open;
  const std::shared_future<void> opened = open.get_future().share();
};

// The listener has four workers.
TEST(AccessGuardUnderLoadTest, ASlowApiServerHoldsTwoWorkersAndTheOthersServeWhoIsKnown) {
  FakeClock clock;
  SlowReviewer reviewer;
  AccessGuard guard(reviewer, clock);
  const auto ask = [&guard](const std::string& token) {
    const std::vector<http::HeaderView> headers{{"X-Aliquot-Token", token}};
    http::Request request;
    request.path = "/metrics";
    request.remote_address = "10.0.0.7:41234";
    request.headers = headers;
    return guard.Admit(request).kind;
  };
  EXPECT_EQ(ask("known"), Kind::kAllowed);
  std::vector<std::future<Kind>> held;
  for (const char* token : {"one", "two", "three"}) {
    held.push_back(std::async(std::launch::async, ask, token));
  }
  // Two wait; the third is told at once to come back.
  int answered = 0;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (answered == 0 && std::chrono::steady_clock::now() < deadline) {
    for (std::future<Kind>& each : held) {
      answered += each.wait_for(std::chrono::milliseconds(10)) == std::future_status::ready ? 1 : 0;
    }
  }
  EXPECT_EQ(ask("known"), Kind::kAllowed);
  reviewer.open.set_value();
  int sent_back = 0;
  for (std::future<Kind>& each : held) {
    sent_back += each.get() == Kind::kTooMany ? 1 : 0;
  }
  EXPECT_EQ(sent_back, 1);
  EXPECT_EQ(reviewer.asked.load(), 2);
  EXPECT_EQ(ask("three"), Kind::kAllowed) << "there is room again";
}

}  // namespace
}  // namespace aliquot::access
