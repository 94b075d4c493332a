// SPDX-License-Identifier: Apache-2.0
// Clients that do nothing, or do it slowly, cost nothing and hold no worker.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <thread>

#include "tests/integration/http_test_server.h"

namespace aliquot::test {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

microseconds ProcessorTime() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& value) {
    return seconds(value.tv_sec) + microseconds(value.tv_usec);
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

// Changes how many files this process may open, and puts it back.
class FileLimit {
 public:
  FileLimit() { ::getrlimit(RLIMIT_NOFILE, &before_); }
  ~FileLimit() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  rlim_t highest() const { return before_.rlim_max; }
  bool Set(rlim_t files) {
    const rlimit changed{files, before_.rlim_max};
    return ::setrlimit(RLIMIT_NOFILE, &changed) == 0;
  }

 private:
  rlimit before_{};
};

TEST_F(HttpServerTest, TwoHundredIdleConnectionsCostNothing) {
  options_.worker_threads = 2;
  StartTls(true);
  // The poll of the certificate files is part of it, at its real interval.
  server_.reset();
  options_.tls->reload_interval = milliseconds(1000);
  server_ = std::make_unique<http::Server>(options_, http::Router(), observer_);
  const Result<std::string> started = server_->Start();
  ASSERT_TRUE(started.ok());
  address_ = *started;
  const ClientTls tls = GoodClient();
  std::vector<HttpTestClient> idle;
  for (int i = 0; i < 200; ++i) {
    idle.emplace_back(address_, tls);
    ASSERT_TRUE(idle.back().ok()) << idle.back().error();
    ASSERT_EQ(idle.back().Get("/nothing").status, 404);
  }
  const microseconds before = ProcessorTime();
  std::this_thread::sleep_for(seconds(2));  // the span that is measured
  const microseconds spent = ProcessorTime() - before;
  RecordProperty("processor_us_in_2_s", static_cast<int>(spent.count()));
  EXPECT_LT(spent, milliseconds(40)) << "2 % of a core";
  for (int i = 0; i < 200; i += 20) EXPECT_EQ(idle[i].Get("/nothing").status, 404);
}

TEST_F(HttpServerTest, AThousandIdleConnectionsLeaveTwoWorkersFree) {
  options_.worker_threads = 2;
  StartPlain();
  std::vector<HttpTestClient> idle;
  FileLimit limit;
  ASSERT_TRUE(limit.Set(limit.highest()));
  for (int i = 0; i < 1000; ++i) {
    idle.push_back(Connect());
    ASSERT_TRUE(idle.back().ok()) << i;
    ASSERT_EQ(idle.back().Get("/ping").status, 200) << i;
  }
  const auto begin = steady_clock::now();
  for (int i = 0; i < 100; ++i) ASSERT_EQ(Connect().Get("/ping").status, 200);
  EXPECT_LT(steady_clock::now() - begin, seconds(2));
}

TEST_F(HttpServerTest, OutOfFileDescriptorsASilentConnectionMakesRoom) {
  options_.handshake_timeout = seconds(60);
  StartPlain();
  constexpr std::size_t kSilent = 5;
  // The limit is on the number of a descriptor, so find the numbers that are free.
  std::vector<http::FileDescriptor> probes;
  while (probes.size() <= 2 * kSilent) probes.emplace_back(::dup(STDERR_FILENO));
  const rlim_t last_free = static_cast<rlim_t>(probes.back().get());
  probes.clear();
  FileLimit limit;
  ASSERT_TRUE(limit.Set(last_free));
  std::vector<HttpTestClient> silent;
  for (std::size_t i = 1; i <= kSilent; ++i) {
    silent.push_back(Connect());
    ASSERT_TRUE(observer_.WaitForConnections(i)) << "both ends of each fit";
  }
  // One more for this client's end; the server has none left.
  ASSERT_TRUE(limit.Set(last_free + 1));
  EXPECT_EQ(Connect().Get("/ping").status, 200);
  // UBSan looks at memory through a pipe, for which it needs descriptors again.
  ASSERT_TRUE(limit.Set(limit.highest()));
  EXPECT_THAT(observer_.failures(), testing::Contains("accept: Too many open files"));
}

TEST_F(HttpServerTest, SilentConnectionsHoldNoWorkerAndAreCutAfterTheHandshakeTimeout) {
  options_.worker_threads = 1;
  options_.handshake_timeout = milliseconds(400);
  StartTls(true);
  std::vector<HttpTestClient> silent;
  const auto begin = steady_clock::now();
  for (int i = 0; i < 50; ++i) silent.emplace_back(address_);
  EXPECT_EQ(Connect().Get("/ping").status, 200);
  for (HttpTestClient& client : silent) EXPECT_TRUE(client.ClosesWithin(seconds(3)));
  EXPECT_GE(steady_clock::now() - begin, milliseconds(400));
  EXPECT_THAT(observer_.failures(),
              testing::Contains("the client was silent or its handshake too slow"));
}

TEST_F(HttpServerTest, ADrippedHandshakeIsCutByItsTotalTime) {
  options_.worker_threads = 1;
  options_.handshake_timeout = milliseconds(300);
  StartTls(true);
  HttpTestClient drip(address_);
  const auto begin = steady_clock::now();
  // The start of a TLS record that announces 512 bytes, one byte at a time.
  ASSERT_TRUE(drip.Send(std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11)));
  while (steady_clock::now() - begin < seconds(5) && !drip.ClosesWithin(milliseconds(20))) {
    drip.Send("x");
    ASSERT_EQ(Connect().Get("/ping").status, 200) << "the only worker is free between the bytes";
  }
  EXPECT_LT(steady_clock::now() - begin, seconds(3));
}

TEST_F(HttpServerTest, ADrippedHeadIsCutByItsTotalTime) {
  options_.worker_threads = 1;
  options_.receive_timeout = milliseconds(300);
  StartTls(true);
  HttpTestClient drip = Connect();
  ASSERT_TRUE(drip.Send("GET /ping HTTP/1.1\r\nHost: x\r\nX: "));
  const auto begin = steady_clock::now();
  while (steady_clock::now() - begin < seconds(5) && !drip.ClosesWithin(milliseconds(20))) {
    drip.Send("x");
    ASSERT_EQ(Connect().Get("/ping").status, 200);
  }
  EXPECT_LT(steady_clock::now() - begin, seconds(3));
  EXPECT_THAT(observer_.failures(), testing::Contains("the request took too long to arrive"));
}

TEST_F(HttpServerTest, ADrippedBodyIsCutByItsTotalTime) {
  options_.worker_threads = 1;
  options_.receive_timeout = milliseconds(300);
  StartPlain();
  for (const std::string framing : {"Content-Length: 1000", "Transfer-Encoding: chunked"}) {
    HttpTestClient drip = Connect();
    ASSERT_TRUE(drip.Send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" +
                          framing + "\r\n\r\n"));
    const auto begin = steady_clock::now();
    while (steady_clock::now() - begin < seconds(5) && !drip.ClosesWithin(milliseconds(20))) {
      drip.Send(framing.front() == 'C' ? "x" : "1\r\nx\r\n");
      ASSERT_EQ(Connect().Get("/ping").status, 200);
    }
    EXPECT_LT(steady_clock::now() - begin, seconds(3)) << framing;
  }
}

TEST_F(HttpServerTest, IdleConnectionsAreClosedAfterTheIdleTimeoutOnly) {
  options_.idle_timeout = milliseconds(400);
  options_.handshake_timeout = milliseconds(100);
  StartTls(true);
  HttpTestClient client = Connect();
  const auto begin = steady_clock::now();
  ASSERT_EQ(client.Get("/ping").status, 200);
  EXPECT_TRUE(client.ClosesWithin(seconds(5)));
  EXPECT_GE(steady_clock::now() - begin, milliseconds(400));
  EXPECT_TRUE(observer_.failures().empty()) << "that is no failure";
}

TEST_F(HttpServerTest, AClientThatLeavesInTheMiddleIsForgotten) {
  StartTls(true);
  for (const std::string text :
       {"", "GET /pi", "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nx"}) {
    HttpTestClient client = Connect();
    ASSERT_TRUE(client.ok());
    if (!text.empty()) {
      ASSERT_TRUE(client.Send(text));
    }
    client.Close();
    EXPECT_TRUE(observer_.WaitForConnections(0)) << text;
  }
}

}  // namespace
}  // namespace aliquot::test
