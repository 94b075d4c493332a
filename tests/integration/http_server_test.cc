// SPDX-License-Identifier: Apache-2.0
// What a well-behaved client sees: replies, keep-alive, pipelining, records, addresses.
#include <gmock/gmock.h>
#include <sys/socket.h>

#include <algorithm>
#include <thread>

#include "tests/integration/http_test_server.h"

namespace aliquot::test {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

TEST_F(HttpServerTest, AnswersManyRequestsOnOneConnection) {
  StartTls(true);
  HttpTestClient client = Connect();
  ASSERT_TRUE(client.ok()) << client.error();
  for (int i = 0; i < 200; ++i) {
    const std::string body = "{\"n\":" + std::to_string(i) + "}";
    const auto reply = client.Post("/echo", body);
    ASSERT_TRUE(reply.received()) << i;
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.body, body);
    EXPECT_EQ(reply.headers.count("connection"), 0u);
  }
  EXPECT_TRUE(observer_.WaitForConnections(1)) << "one connection carried all";
}

TEST_F(HttpServerTest, AcceptsJsonWithParametersAndEmptyBodies) {
  StartPlain();
  HttpTestClient client = Connect();
  ASSERT_TRUE(
      client.Send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n"
                  "Content-Type: Application/JSON; charset=utf-8\r\n\r\n{}"));
  EXPECT_EQ(client.Read().body, "{}");
  const auto empty = client.Post("/echo", "");
  EXPECT_EQ(empty.status, 200);
  EXPECT_EQ(empty.headers.at("content-length"), "0");
}

TEST_F(HttpServerTest, PipelinedRequestsAreAnsweredInOrder) {
  StartTls(false);
  HttpTestClient client = Connect();
  std::string burst;
  for (int i = 0; i < 50; ++i) burst += PostText("/echo", std::to_string(i));
  ASSERT_TRUE(client.Send(burst));
  for (int i = 0; i < 50; ++i) EXPECT_EQ(client.Read().body, std::to_string(i));
}

TEST_F(HttpServerTest, TheQueryIsDecodedAndThePathIsMatchedAfterDecoding) {
  StartPlain();
  HttpTestClient client = Connect();
  EXPECT_EQ(client.Get("/query?pod=default%2Fa&x=%20b").body, "pod=default/a;x= b;\n");
  EXPECT_EQ(client.Get("/qu%65ry?a=1").body, "a=1;\n");
}

TEST_F(HttpServerTest, RepliesAreNotCompressedSoThatTheyAreFast) {
  StartPlain();
  HttpTestClient client = Connect();
  const std::string body = "{\"a\":\"" + std::string(150000, 'b') + "\"}";
  const auto reply = client.Post("/echo", body, "Accept-Encoding: gzip\r\n");
  EXPECT_EQ(reply.headers.count("content-encoding"), 0u);
  EXPECT_EQ(reply.headers.at("content-type"), "application/json; charset=utf-8");
  EXPECT_EQ(reply.body, body);
}

TEST_F(HttpServerTest, ALargeReplyReachesASlowReaderWhole) {
  StartTls(false);
  HttpTestClient client = Connect();
  ASSERT_TRUE(client.Send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n"));
  // The handler has returned, the socket is full: no worker is held, so others are served
  // meanwhile.
  ASSERT_TRUE(observer_.WaitForRequests(1));
  for (int i = 0; i < options_.worker_threads + 1; ++i) {
    EXPECT_EQ(Connect().Get("/ping").body, "pong\n");
  }
  EXPECT_EQ(client.Read().body.size(), kLargeBytes);
  EXPECT_EQ(client.Get("/ping").body, "pong\n") << "the connection stays usable";
}

TEST_F(HttpServerTest, AClientThatNeverReadsItsReplyIsCut) {
  options_.send_timeout = milliseconds(200);
  StartPlain();
  HttpTestClient client = Connect();
  ASSERT_TRUE(client.Send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n"));
  ASSERT_TRUE(observer_.WaitForConnections(1));
  EXPECT_TRUE(observer_.WaitForConnections(0));
  EXPECT_THAT(observer_.failures(),
              testing::Contains("the client took too long to read the reply"));
}

TEST_F(HttpServerTest, ContinueIsSentToAClientThatWaitsForIt) {
  StartPlain();
  HttpTestClient client = Connect();
  ASSERT_TRUE(
      client.Send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                  "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n"));
  EXPECT_EQ(client.Read().status, 100);
  ASSERT_TRUE(client.Send("{}"));
  EXPECT_EQ(client.Read().body, "{}");
}

TEST_F(HttpServerTest, ConnectionCloseAndHttp10AreHonoured) {
  StartPlain();
  for (const std::string text : {"GET /ping HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                                 "GET /ping HTTP/1.0\r\n\r\n"}) {
    HttpTestClient client = Connect();
    ASSERT_TRUE(client.Send(text));
    const auto reply = client.Read();
    EXPECT_EQ(reply.body, "pong\n");
    EXPECT_EQ(reply.headers.at("connection"), "close");
    EXPECT_TRUE(client.ClosesWithin(milliseconds(900)));
  }
}

TEST_F(HttpServerTest, RecordsRouteStatusSizesAndServerTime) {
  options_.server_timing = true;
  StartPlain();
  HttpTestClient client = Connect();
  const auto reply = client.Post("/echo", "{\"a\":1}");
  EXPECT_THAT(reply.headers.at("server-timing"), testing::MatchesRegex("app;dur=[0-9]+\\.[0-9]+"));
  client.Get("/unknown/path");
  ASSERT_TRUE(observer_.WaitForRequests(2));
  const auto requests = observer_.requests();
  EXPECT_EQ(requests[0].route, "/echo");
  EXPECT_EQ(requests[0].record.status, 200);
  EXPECT_EQ(requests[0].record.request_body_bytes, 7u);
  EXPECT_EQ(requests[0].record.response_body_bytes, 7u);
  EXPECT_GT(requests[0].record.server_time.count(), 0);
  EXPECT_GE(requests[0].record.server_time, requests[0].record.handler_time);
  EXPECT_EQ(requests[1].route, "") << "text from outside never becomes a label";
  EXPECT_EQ(requests[1].record.status, 404);
}

TEST_F(HttpServerTest, ServerTimeHoldsTheHandlerButNotTheClient) {
  StartPlain();
  HttpTestClient client = Connect();
  const std::string request = PostText("/gate", "{}");
  ASSERT_TRUE(client.Send(request.substr(0, 20)));
  std::this_thread::sleep_for(
      milliseconds(300));  // the client's own slowness is the thing measured
  ASSERT_TRUE(client.Send(request.substr(20)));
  ASSERT_TRUE(gate_.WaitForWaiting(1));
  const auto before = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(milliseconds(50));
  gate_.Open();
  ASSERT_TRUE(observer_.WaitForRequests(1));
  const auto held = std::chrono::steady_clock::now() - before;
  const auto record = observer_.requests()[0].record;
  EXPECT_GE(record.server_time, milliseconds(50));
  EXPECT_LT(record.server_time, held + milliseconds(200));
}

TEST_F(HttpServerTest, SixteenHandlersMayWaitAtOnceAndOthersAreStillServed) {
  options_.worker_threads = 17;
  StartPlain();
  std::vector<HttpTestClient> waiting;
  for (int i = 0; i < 16; ++i) {
    waiting.push_back(Connect());
    ASSERT_TRUE(waiting.back().Send(PostText("/gate", std::to_string(i))));
  }
  ASSERT_TRUE(gate_.WaitForWaiting(16));
  EXPECT_EQ(Connect().Get("/ping").body, "pong\n");
  gate_.Open();
  for (int i = 0; i < 16; ++i) EXPECT_EQ(waiting[i].Read().body, std::to_string(i));
}

TEST_F(HttpServerTest, ASecondServerCannotTakeThePort) {
  StartPlain();
  http::ServerOptions same = options_;
  same.listen_address = address_;
  http::Server second(same, http::Router(), observer_);
  const Result<std::string> started = second.Start();
  ASSERT_FALSE(started.ok());
  EXPECT_THAT(started.status().message(), HasSubstr(address_));
  EXPECT_THAT(started.status().message(), HasSubstr("Address already in use"));

  // Not even one that asks to share it, as cpp-httplib's own servers do.
  const http::FileDescriptor sharing(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  ::setsockopt(sharing.get(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  HttpTestClient client = Connect();
  ::getpeername(client.fd(), reinterpret_cast<sockaddr*>(&bound), &size);
  EXPECT_NE(::bind(sharing.get(), reinterpret_cast<sockaddr*>(&bound), size), 0);
}

TEST_F(HttpServerTest, NoHostMeansBothAddressFamilies) {
  options_.listen_address = ":0";
  StartPlain();
  const std::string port = address_.substr(address_.rfind(':'));
  EXPECT_EQ(HttpTestClient("127.0.0.1" + port).Get("/ping").body, "pong\n");
  if (address_.front() == '[') {
    EXPECT_EQ(HttpTestClient("[::1]" + port).Get("/ping").body, "pong\n");
  }
}

TEST_F(HttpServerTest, StartNamesWhatIsWrong) {
  struct Case {
    std::string address;
    std::optional<http::TlsOptions> tls;
    int workers;
    std::string expected;
  };
  http::TlsOptions missing;
  missing.certificate_file = directory_.PathOf("no.crt");
  missing.key_file = directory_.PathOf("no.key");
  const Case cases[] = {{"nonsense", {}, 1, "nonsense"},
                        {"127.0.0.1:0", missing, 1, "no.crt"},
                        {"192.0.2.1:0", {}, 1, "192.0.2.1:0"},
                        {"127.0.0.1:0", {}, 0, "worker_threads"}};
  for (const Case& c : cases) {
    http::ServerOptions options = options_;
    options.listen_address = c.address;
    options.tls = c.tls;
    options.worker_threads = c.workers;
    http::Server server(options, http::Router(), observer_);
    const Result<std::string> started = server.Start();
    ASSERT_FALSE(started.ok()) << c.expected;
    EXPECT_THAT(started.status().message(), HasSubstr(c.expected));
  }
}

}  // namespace
}  // namespace aliquot::test
