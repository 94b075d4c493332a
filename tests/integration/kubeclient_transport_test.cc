// SPDX-License-Identifier: Apache-2.0
// What is known of a request's fate, and when.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "tests/integration/kubeclient_fixture.h"

namespace aliquot::kubeclient {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using Outcome = CallResult::Outcome;
using Cause = CallResult::Cause;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

class KubeclientTransportTest : public KubeclientTest {
 protected:
  CallResult ListNodes(SteadyTime deadline, Cancellation* cancellation = nullptr) {
    ApiRequest request;
    request.verb = kListNodes;
    request.max_reply_bytes = 100000;
    return transport_->Call(request, deadline, cancellation);
  }
  CallResult ListNodes() { return ListNodes(In(seconds(10))); }

  CallResult CreateEvent(SteadyTime deadline) {
    ApiRequest request;
    request.verb = kCreateEvent;
    request.namespace_name = "team";
    request.content_type = "application/json";
    request.body = R"({"metadata":{"name":"e","namespace":"team"}})";
    return transport_->Call(request, deadline, nullptr);
  }
  CallResult CreateEvent() { return CreateEvent(In(seconds(10))); }
};

TEST_F(KubeclientTransportTest, KeepsItsConnection) {
  StartServer();
  Connect();
  for (int i = 0; i < 5; ++i) ASSERT_EQ(ListNodes().reply.status, 200);
  ASSERT_EQ(CreateEvent().reply.status, 201);
  std::set<int> ports;
  for (const auto& request : server_->requests()) ports.insert(request.client_port);
  EXPECT_EQ(ports.size(), 1u);
}

TEST_F(KubeclientTransportTest, SaysWhoItIs) {
  StartServer();
  Connect();
  ListNodes();
  CreateEvent();
  const auto requests = server_->requests();
  EXPECT_THAT(requests[0].user_agent, MatchesRegex("aliquot-allocator/[0-9]+\\.[0-9]+\\.[0-9]+"));
  EXPECT_EQ(requests[0].content_type, "");
  EXPECT_EQ(requests[1].content_type, "application/json");
  EXPECT_EQ(requests[1].authorization, "Bearer token-1");
}

TEST_F(KubeclientTransportTest, ARefusedConnectionIsKnownNotToHaveSentAnything) {
  StartServer();
  Connect();
  server_.reset();
  const CallResult result = CreateEvent();
  EXPECT_EQ(result.outcome, Outcome::kNotSent);
  EXPECT_EQ(result.cause, Cause::kConnect) << result.message;
  EXPECT_FALSE(result.message.empty());
}

TEST_F(KubeclientTransportTest, ACutAfterSendingIsUnknown) {
  StartServer();
  Connect();
  server_->Inject({test::Fault::Kind::kDoThenCut, "POST", "events"});
  const CallResult result = CreateEvent();
  EXPECT_EQ(result.outcome, Outcome::kUnknown) << result.message;
  EXPECT_EQ(result.cause, Cause::kCut) << result.message;
  EXPECT_EQ(server_->store().Events().size(), 1u);
}

TEST_F(KubeclientTransportTest, AWriteOnAKeptConnectionThatIsCutIsNotSentTwice) {
  StartServer();
  Connect();
  ASSERT_EQ(ListNodes().reply.status, 200);  // the connection is now a kept one
  server_->Inject({test::Fault::Kind::kDoThenCut, "POST", "events"});
  EXPECT_EQ(CreateEvent().outcome, Outcome::kUnknown);
  EXPECT_EQ(server_->Count("POST", "events"), 1u);
  EXPECT_EQ(server_->store().Events().size(), 1u);
  EXPECT_EQ(CreateEvent().reply.status, 201) << "the next one takes a new connection";
}

TEST_F(KubeclientTransportTest, NoAnswerByTheDeadlineIsUnknownAndInTime) {
  StartServer();
  Connect();
  server_->Inject({test::Fault::Kind::kSilence, "POST", "events"});
  const auto started = steady_clock::now();
  const CallResult result = CreateEvent(In(milliseconds(200)));
  const auto took = steady_clock::now() - started;
  EXPECT_EQ(result.outcome, Outcome::kUnknown);
  EXPECT_EQ(result.cause, Cause::kDeadline);
  EXPECT_GE(took, milliseconds(190));
  EXPECT_LT(took, milliseconds(700));
}

TEST_F(KubeclientTransportTest, ADeadlineInThePastSendsNothing) {
  StartServer();
  Connect();
  const CallResult result = CreateEvent(In(milliseconds(-1)));
  EXPECT_EQ(result.outcome, Outcome::kNotSent);
  EXPECT_EQ(result.cause, Cause::kDeadline);
  EXPECT_TRUE(server_->store().Events().empty());
}

TEST_F(KubeclientTransportTest, AReplyOverTheLimitIsGivenUp) {
  StartServer();
  for (int i = 0; i < 2000; ++i) server_->store().Put(kNode, NodeJson("n" + std::to_string(i)));
  Connect();
  const CallResult result = ListNodes();
  EXPECT_NE(result.outcome, Outcome::kReply);
  EXPECT_EQ(result.cause, Cause::kTooLarge);
  EXPECT_LE(result.reply.body.size(), 100000u);
}

TEST_F(KubeclientTransportTest, ErrorsComeWithHeadersAndBody) {
  StartServer();
  Connect();
  test::Fault fault;
  fault.status = 429;
  fault.retry_after = "7";
  server_->Inject(fault);
  const CallResult result = ListNodes();
  ASSERT_EQ(result.outcome, Outcome::kReply);
  EXPECT_EQ(result.reply.status, 429);
  ASSERT_NE(result.reply.FindHeader("retry-after"), nullptr);
  EXPECT_EQ(*result.reply.FindHeader("retry-after"), "7");
  EXPECT_EQ(result.reply.FindHeader("absent"), nullptr);
  EXPECT_THAT(result.reply.body, HasSubstr("injected failure"));
}

TEST_F(KubeclientTransportTest, ARedirectIsNotFollowed) {
  StartServer();
  Connect();
  test::Fault fault;
  fault.status = 307;
  server_->Inject(fault);
  EXPECT_EQ(ListNodes().reply.status, 307);
  EXPECT_EQ(server_->Count("", ""), 1u);
}

TEST_F(KubeclientTransportTest, TheEnvironmentsProxyIsNotAsked) {
  StartServer();
  for (const char* name : {"https_proxy", "HTTPS_PROXY", "ALL_PROXY"}) {
    setenv(name, "http://127.0.0.1:9", 1);  // nothing listens there
  }
  Connect();
  EXPECT_EQ(ListNodes().reply.status, 200);
  for (const char* name : {"https_proxy", "HTTPS_PROXY", "ALL_PROXY"}) unsetenv(name);
}

// The fastest of three, because a busy machine may keep any thread waiting for longer.
TEST_F(KubeclientTransportTest, CancellingEndsACallAtOnce) {
  StartServer();
  Connect();
  auto fastest = steady_clock::duration::max();
  for (std::size_t i = 1; i <= 3; ++i) {
    server_->Inject({test::Fault::Kind::kSilence, "GET", "nodes"});
    Cancellation cancellation;
    CallResult result;
    std::thread caller([&] { result = ListNodes(In(seconds(20)), &cancellation); });
    EXPECT_TRUE(Eventually([&] { return server_->Count("GET", "nodes") == i; }));
    const auto started = steady_clock::now();
    cancellation.Cancel();
    caller.join();
    fastest = std::min(fastest, steady_clock::now() - started);
    EXPECT_EQ(result.cause, Cause::kCancelled);
    EXPECT_EQ(result.outcome, Outcome::kUnknown);
  }
  EXPECT_LT(fastest, milliseconds(100));
}

TEST_F(KubeclientTransportTest, ManyThreadsShareIt) {
  StartServer();
  Connect();
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int i = 0; i < 12; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 5; ++k) {
        if (CreateEvent().reply.status == 201) ++good;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 60);
  EXPECT_EQ(server_->store().Events().size(), 60u);
}

}  // namespace
}  // namespace aliquot::kubeclient
