// SPDX-License-Identifier: Apache-2.0
// Stopping: requests in flight finish, idle connections go, and it takes no longer than that.
#include <gmock/gmock.h>

#include <future>
#include <thread>

#include "tests/integration/http_test_server.h"

namespace aliquot::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

TEST_F(HttpServerTest, DrainWithOnlyIdleConnectionsIsQuick) {
  StartTls(true);
  std::vector<HttpTestClient> idle;
  for (int i = 0; i < 40; ++i) {
    idle.push_back(Connect());
    ASSERT_EQ(idle.back().Get("/ping").status, 200);
  }
  HttpTestClient silent(address_);  // never shakes hands
  ASSERT_TRUE(observer_.WaitForConnections(41));
  const auto begin = steady_clock::now();
  EXPECT_TRUE(server_->Drain(seconds(10)).ok());
  EXPECT_LT(steady_clock::now() - begin, seconds(1));
  for (HttpTestClient& client : idle) EXPECT_TRUE(client.ClosesWithin(seconds(1)));
  EXPECT_FALSE(HttpTestClient(address_).ok()) << "the port is free again";
}

TEST_F(HttpServerTest, DrainFinishesRequestsInFlightAndTheirRepliesSayClose) {
  StartTls(true);
  std::vector<HttpTestClient> busy;
  for (int i = 0; i < options_.worker_threads; ++i) {
    busy.push_back(Connect());
    ASSERT_TRUE(busy.back().Send(PostText("/gate", std::to_string(i))));
  }
  ASSERT_TRUE(gate_.WaitForWaiting(options_.worker_threads));
  std::future<Status> drained =
      std::async(std::launch::async, [this] { return server_->Drain(seconds(20)); });
  EXPECT_EQ(drained.wait_for(milliseconds(200)), std::future_status::timeout);
  gate_.Open();
  for (int i = 0; i < options_.worker_threads; ++i) {
    const auto reply = busy[i].Read();
    ASSERT_TRUE(reply.received()) << i;
    EXPECT_EQ(reply.body, std::to_string(i));
    EXPECT_EQ(reply.headers.at("connection"), "close");
    EXPECT_TRUE(busy[i].ClosesWithin(seconds(1)));
    busy[i].Close();
  }
  EXPECT_TRUE(drained.get().ok());
}

TEST_F(HttpServerTest, DrainLetsAHalfReceivedRequestArrive) {
  StartTls(true);
  HttpTestClient client = Connect();
  const std::string request = PostText("/echo", "{\"a\":1}");
  ASSERT_TRUE(client.Send(request.substr(0, 30)));
  // Read or not, the bytes have reached the server's socket: loopback delivers as it sends.
  std::future<Status> drained =
      std::async(std::launch::async, [this] { return server_->Drain(seconds(20)); });
  EXPECT_EQ(drained.wait_for(milliseconds(100)), std::future_status::timeout);
  ASSERT_TRUE(client.Send(request.substr(30)));
  const auto reply = client.Read();
  ASSERT_TRUE(reply.received());
  EXPECT_EQ(reply.body, "{\"a\":1}");
  EXPECT_EQ(reply.headers.at("connection"), "close");
  client.Close();
  EXPECT_TRUE(drained.get().ok());
}

TEST_F(HttpServerTest, WhoConnectedBeforeTheDrainIsStillServed) {
  options_.worker_threads = 1;
  StartTls(true);
  HttpTestClient busy = Connect();
  ASSERT_TRUE(busy.Send(PostText("/gate", "{}")));
  ASSERT_TRUE(gate_.WaitForWaiting(1));
  // The only worker is held, so this client's handshake has begun and waits.
  std::future<HttpReply> late = std::async(std::launch::async, [this] {
    HttpTestClient client = Connect();
    return client.ok() ? client.Post("/echo", "{\"late\":1}") : HttpReply();
  });
  ASSERT_TRUE(observer_.WaitForConnections(2));
  std::future<Status> drained =
      std::async(std::launch::async, [this] { return server_->Drain(seconds(20)); });
  EXPECT_EQ(drained.wait_for(milliseconds(200)), std::future_status::timeout);
  gate_.Open();
  EXPECT_EQ(busy.Read().status, 200);
  busy.Close();
  const HttpReply reply = late.get();
  EXPECT_EQ(reply.body, "{\"late\":1}");
  EXPECT_EQ(reply.headers.at("connection"), "close");
  EXPECT_TRUE(drained.get().ok());
}

TEST_F(HttpServerTest, DrainCutsWhatIsStillBusyAtItsDeadlineAndSaysSo) {
  StartPlain();
  HttpTestClient busy = Connect();
  ASSERT_TRUE(busy.Send(PostText("/gate", "{}")));
  ASSERT_TRUE(gate_.WaitForWaiting(1));
  const auto begin = steady_clock::now();
  const Status status = server_->Drain(milliseconds(100));
  EXPECT_LT(steady_clock::now() - begin, seconds(2));
  EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_THAT(status.message(), testing::HasSubstr("1 connections"));
  EXPECT_FALSE(busy.Read().received());
}

TEST_F(HttpServerTest, DrainUnderLoadAnswersEveryRequestThatAHandlerSaw) {
  StartTls(true);
  // Each client repeats on one connection until a reply says close, or the connection ends between
  // two requests: then nothing was done, and the client may repeat the request elsewhere.
  std::vector<std::future<std::size_t>> clients;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(std::async(std::launch::async, [this] {
      HttpTestClient client = Connect();
      std::size_t answered = 0;
      bool open = client.ok();
      while (open) {
        const HttpReply reply = client.Post("/echo", "{}");
        if (reply.status == 200) ++answered;
        open = reply.received() && reply.headers.count("connection") == 0;
      }
      return answered;
    }));
  }
  ASSERT_TRUE(observer_.WaitForRequests(100));
  EXPECT_TRUE(server_->Drain(seconds(10)).ok());
  std::size_t answered = 0;
  for (std::future<std::size_t>& client : clients) answered += client.get();
  EXPECT_EQ(answered, observer_.requests().size());
}

TEST_F(HttpServerTest, DestructionWithoutDrainEndsOpenConnections) {
  StartTls(true);
  HttpTestClient client = Connect();
  ASSERT_EQ(client.Get("/ping").status, 200);
  server_.reset();
  EXPECT_TRUE(client.ClosesWithin(seconds(2)));
}

TEST_F(HttpServerTest, AServerThatNeverStartedDrainsAndEnds) {
  http::Server server(options_, http::Router(), observer_);
  EXPECT_TRUE(server.Drain(seconds(1)).ok());
}

}  // namespace
}  // namespace aliquot::test
