// SPDX-License-Identifier: Apache-2.0
// Bad input gets its status and one sentence, and costs nobody else anything.
#include <gmock/gmock.h>

#include <string>

#include "tests/integration/http_test_server.h"

namespace aliquot::test {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::Not;

class HttpLimitsTest : public HttpServerTest {
 protected:
  // Sends on a new connection; the reply's status, 0 without a reply.
  int StatusOf(const std::string& text) {
    HttpTestClient client = Connect();
    client.Send(text);
    last_ = client.Read();
    if (last_.headers.count("connection") != 0) {
      EXPECT_TRUE(client.ClosesWithin(milliseconds(3000))) << text.substr(0, 100);
    }
    return last_.status;
  }

  void ExpectStillServing() { EXPECT_EQ(Connect().Get("/ping").status, 200); }

  HttpReply last_;
};

TEST_F(HttpLimitsTest, WrongPathMethodAndTypeGetTheirStatusAndKeepTheConnection) {
  StartTls(true);
  HttpTestClient client = Connect();
  const auto path = client.Post("/echo/", "{}");
  EXPECT_EQ(path.status, 404);
  EXPECT_THAT(path.body, HasSubstr("no such path"));
  const auto method = client.Get("/echo");
  EXPECT_EQ(method.status, 405);
  EXPECT_EQ(method.headers.at("allow"), "POST");
  ASSERT_TRUE(client.Send("PUT /ping HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"));
  EXPECT_EQ(client.Read().status, 405);
  ASSERT_TRUE(
      client.Send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n"
                  "Content-Type: text/plain\r\n\r\n{}"));
  EXPECT_EQ(client.Read().status, 415);
  ASSERT_TRUE(client.Send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"));
  EXPECT_EQ(client.Read().status, 415) << "no type at all";
  EXPECT_EQ(client.Post("/echo", "{}").status, 200) << "every body was read to its end";
}

TEST_F(HttpLimitsTest, UnknownMethodsAreRefused) {
  StartPlain();
  EXPECT_EQ(StatusOf("BREW /ping HTTP/1.1\r\nHost: x\r\n\r\n"), 405);
  EXPECT_EQ(last_.headers.at("allow"), "GET");
  EXPECT_EQ(last_.body, "this path does not take that method; use GET\n");
  EXPECT_EQ(StatusOf("BREW /teapot HTTP/1.1\r\nHost: x\r\n\r\n"), 404);
  EXPECT_EQ(StatusOf("CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n"), 404);
  EXPECT_EQ(StatusOf("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 505);
  ExpectStillServing();
}

TEST_F(HttpLimitsTest, ADeclaredBodyOverTheLimitIsRefusedWithoutReadingIt) {
  StartTls(true);
  // 64 MB are announced and nothing is sent: the answer comes all the same.
  EXPECT_EQ(StatusOf("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                     "Content-Length: 67108864\r\n\r\n"),
            413);
  EXPECT_THAT(last_.body, HasSubstr("67108864"));
  EXPECT_THAT(last_.body, HasSubstr("1048576"));
  EXPECT_EQ(last_.headers.at("connection"), "close");
  // A client that sends first and reads later still gets the reply, not a reset.
  EXPECT_EQ(StatusOf(PostText("/echo", std::string(8u << 20, 'x'))), 413);
  EXPECT_EQ(StatusOf(PostText("/echo", std::string(1u << 20, 'x'))), 200) << "exactly the limit";
  ExpectStillServing();
}

TEST_F(HttpLimitsTest, AChunkedBodyOverTheLimitIsRefusedWhereItPassesIt) {
  StartTls(true);
  const std::string head =
      "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
      "Transfer-Encoding: chunked\r\n\r\n";
  std::string body;
  for (int i = 0; i < 100; ++i) body += "10000\r\n" + std::string(65536, 'x') + "\r\n";
  EXPECT_EQ(StatusOf(head + body), 413);
  EXPECT_EQ(StatusOf(head + "4000000\r\n"), 413) << "64 MB announced as one chunk";
  EXPECT_EQ(StatusOf(head + "2\r\n{}\r\n0\r\n\r\n"), 200);
  EXPECT_EQ(last_.body, "{}");
  ExpectStillServing();
}

TEST_F(HttpLimitsTest, EncodedBodiesAreRefusedHoweverSmall) {
  StartPlain();
  for (const std::string encoding : {"gzip", "deflate", "br", "x-unknown"}) {
    EXPECT_EQ(StatusOf(PostText("/echo", "\x1f\x8b", "Content-Encoding: " + encoding + "\r\n")),
              415)
        << encoding;
  }
  ExpectStillServing();
}

TEST_F(HttpLimitsTest, TenThousandHeadersAndVeryLongLinesAreRefused) {
  StartTls(true);
  std::string headers;
  for (int i = 0; i < 10000; ++i) headers += "X-" + std::to_string(i) + ": 1\r\n";
  EXPECT_EQ(StatusOf("GET /ping HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n"), 431);
  EXPECT_EQ(
      StatusOf("GET /ping HTTP/1.1\r\nHost: x\r\nX: " + std::string(100000, 'x') + "\r\n\r\n"),
      431);
  EXPECT_EQ(StatusOf("GET /" + std::string(100000, 'x') + " HTTP/1.1\r\nHost: x\r\n\r\n"), 414);
  EXPECT_EQ(StatusOf(std::string(4u << 20, 'x')), 414) << "no line end ever";
  EXPECT_EQ(StatusOf("GET /ping?" + std::string(7900, 'x') + " HTTP/1.1\r\nHost: x\r\n\r\n"), 200)
      << "just below our limit is below cpp-httplib's too";
  ExpectStillServing();
}

TEST_F(HttpLimitsTest, RangesAndMultipartAreRefused) {
  StartPlain();
  EXPECT_EQ(StatusOf("GET /ping HTTP/1.1\r\nHost: x\r\nRange: bytes=0-0\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n"
                     "Content-Type: multipart/form-data; boundary=x\r\n\r\n"),
            415);
}

TEST_F(HttpLimitsTest, AnExceptionsTextStaysInTheServer) {
  StartTls(true);
  HttpTestClient client = Connect();
  const auto reply = client.Post("/throw", "{}");
  EXPECT_EQ(reply.status, 500);
  EXPECT_EQ(reply.body, "the server failed to handle the request; see its log\n");
  for (const auto& [name, value] : reply.headers) {
    EXPECT_THAT(name + value, Not(HasSubstr("secret"))) << name;
    EXPECT_NE(name, "exception_what");
  }
  EXPECT_EQ(client.Get("/ping").status, 200) << "the connection and the worker live on";
  EXPECT_THAT(observer_.exceptions(), testing::ElementsAre("/throw: secret detail"));
}

TEST_F(HttpLimitsTest, TheBodiesOfAllConnectionsShareOneBudget) {
  options_.max_buffered_bytes = 1500000;
  StartPlain();
  HttpTestClient first = Connect();
  ASSERT_TRUE(
      first.Send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                 "Expect: 100-continue\r\nContent-Length: 1000000\r\n\r\n"));
  ASSERT_EQ(first.Read().status, 100) << "the announced body is accounted for now";
  EXPECT_EQ(StatusOf(PostText("/echo", std::string(600000, 'x'))), 503);
  first.Close();
  ASSERT_TRUE(observer_.WaitForConnections(0));
  EXPECT_EQ(StatusOf(PostText("/echo", std::string(600000, 'x'))), 200);
}

TEST_F(HttpLimitsTest, PastTheConnectionLimitTheOldestSilentOneGoes) {
  options_.max_connections = 3;
  StartTls(true);
  HttpTestClient served = Connect();
  ASSERT_EQ(served.Get("/ping").status, 200);
  HttpTestClient silent(address_);
  HttpTestClient silent_too(address_);
  ASSERT_TRUE(observer_.WaitForConnections(3));
  HttpTestClient late = Connect();
  ASSERT_TRUE(late.ok()) << late.error();
  EXPECT_EQ(late.Get("/ping").status, 200);
  EXPECT_TRUE(silent.ClosesWithin(milliseconds(3000)));
  EXPECT_EQ(served.Get("/ping").status, 200) << "who has proved itself stays";
  EXPECT_THAT(observer_.failures(), testing::Contains("there are too many connections"));
}

TEST_F(HttpLimitsTest, PastTheConnectionLimitTheOneThatIdledLongestGoes) {
  options_.max_connections = 3;
  StartTls(true);
  std::vector<HttpTestClient> hoarded;
  for (std::size_t i = 0; i < 3; ++i) {
    hoarded.push_back(Connect());
    ASSERT_EQ(hoarded[i].Get("/ping").status, 200);
  }
  ASSERT_EQ(hoarded[0].Get("/ping").status, 200);  // so it is the second that idles longest now
  HttpTestClient late = Connect();
  ASSERT_TRUE(late.ok()) << late.error();
  EXPECT_EQ(late.Get("/ping").status, 200) << "whoever hoards connections shuts nobody out";
  EXPECT_TRUE(hoarded[1].ClosesWithin(milliseconds(3000)));
  EXPECT_EQ(hoarded[0].Get("/ping").status, 200);
  EXPECT_EQ(hoarded[2].Get("/ping").status, 200);
}

TEST_F(HttpLimitsTest, PastTheConnectionLimitWithEverybodyBusyTheNewcomerGoes) {
  options_.max_connections = 2;
  StartPlain();
  HttpTestClient first = Connect();
  HttpTestClient second = Connect();
  const std::string half =
      "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
      "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n";
  for (HttpTestClient* client : {&first, &second}) {
    ASSERT_TRUE(client->Send(half));
    ASSERT_EQ(client->Read().status, 100) << "its request is being received";
  }
  HttpTestClient third = Connect();
  EXPECT_TRUE(third.ClosesWithin(milliseconds(3000)));
  ASSERT_TRUE(first.Send("{}"));
  EXPECT_EQ(first.Read().status, 200);
}

}  // namespace
}  // namespace aliquot::test
