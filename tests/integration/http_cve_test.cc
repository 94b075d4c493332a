// SPDX-License-Identifier: Apache-2.0
// One test for each known weakness of cpp-httplib 0.11.4 that a client could reach. They pass
// because the request framer stands in front of the library, which sees neither header fields nor
// bodies.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "tests/integration/http_test_server.h"

namespace aliquot::test {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::Not;

// Linux counts it in kB.
long PeakMemoryKb() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

class Cve : public HttpServerTest {
 protected:
  void SetUp() override { StartPlain(); }

  static std::string Head(const std::string& more) {
    return "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" + more + "\r\n";
  }

  // Two parts, so that a long one need not be copied while memory is measured.
  HttpReply ReplyTo(std::string_view text, std::string_view rest = "") {
    HttpTestClient client = Connect();
    client.Send(text);
    client.Send(rest);
    return client.Read();
  }
};

TEST_F(Cve, 2025_46728_ChunkedBodyWithoutLengthIsBounded) {
  std::string body = Head("Transfer-Encoding: chunked\r\n");
  for (int i = 0; i < 1024; ++i) body += "10000\r\n" + std::string(65536, 'x') + "\r\n";
  const long before = PeakMemoryKb();
  EXPECT_EQ(ReplyTo(body).status, 413) << "64 MB against a limit of 1 MiB";
  EXPECT_LT(PeakMemoryKb() - before, 16 * 1024);
}

TEST_F(Cve, 2025_53629_ChunkedBodyNeverReachesAHandlerPastTheLimit) {
  std::string body = Head("Transfer-Encoding: chunked\r\n");
  for (int i = 0; i < 40; ++i) body += "8000\r\n" + std::string(32768, 'x') + "\r\n";
  EXPECT_EQ(ReplyTo(body + "0\r\n\r\n").status, 413);
  ASSERT_TRUE(observer_.WaitForRequests(1));
  EXPECT_EQ(observer_.requests()[0].route, "");
}

TEST_F(Cve, 2025_53628_LinesAreBounded) {
  const std::string endless(32u << 20, 'x');
  const long before = PeakMemoryKb();
  const std::string chunked = Head("Transfer-Encoding: chunked\r\n");
  EXPECT_EQ(ReplyTo("GET /", endless).status, 414);
  EXPECT_EQ(ReplyTo("GET /ping HTTP/1.1\r\nX: ", endless).status, 431);
  EXPECT_EQ(ReplyTo(chunked + "1;", endless).status, 400);
  EXPECT_EQ(ReplyTo(chunked + "0\r\nX: ", endless).status, 400);
  EXPECT_LT(PeakMemoryKb() - before, 16 * 1024);
}

TEST_F(Cve, 2025_52887_HeaderCountIsBounded) {
  std::string headers;
  for (int i = 0; i < 100000; ++i) headers += "a: b\r\n";
  EXPECT_EQ(ReplyTo("GET /ping HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n").status, 431);
  std::string trailers;
  for (int i = 0; i < 100000; ++i) trailers += "a: b\r\n";
  EXPECT_EQ(ReplyTo(Head("Transfer-Encoding: chunked\r\n") + "2\r\n{}\r\n0\r\n" + trailers + "\r\n")
                .status,
            413);
}

TEST_F(Cve, 2025_66570_HeadersDoNotShadowTheAddressOfTheSocket) {
  // The library would file the client's REMOTE_ADDR beside its own and read the client's first.
  http::Router router;
  router.Get("/address", [](const http::Request& request) {
    return http::TextResponse(200, request.remote_address);
  });
  http::Server server(options_, router, observer_);
  const Result<std::string> address = server.Start();
  ASSERT_TRUE(address.ok());
  HttpTestClient client(*address);
  ASSERT_TRUE(
      client.Send("GET /address HTTP/1.1\r\nHost: x\r\nREMOTE_ADDR: 192.0.2.1\r\n"
                  "LOCAL_ADDR: 192.0.2.1\r\n\r\n"));
  EXPECT_THAT(client.Read().body, testing::StartsWith("127.0.0.1:"));
}

TEST_F(Cve, 2026_22776_And_28435_CompressedBodiesAreNeverInflated) {
  // 4 MB of zeros in a few kB of gzip, as the measured attack; only its label matters here.
  const long before = PeakMemoryKb();
  for (const std::string encoding : {"gzip", "deflate", "br"}) {
    const HttpReply reply = ReplyTo(
        PostText("/echo", std::string(4096, '\0'), "Content-Encoding: " + encoding + "\r\n"));
    EXPECT_EQ(reply.status, 415);
  }
  EXPECT_LT(PeakMemoryKb() - before, 4 * 1024);
}

TEST_F(Cve, 2026_28434_ExceptionTextIsNotSent) {
  const HttpReply reply = ReplyTo(PostText("/throw", "{}"));
  EXPECT_EQ(reply.status, 500);
  EXPECT_EQ(reply.headers.count("exception_what"), 0u);
  EXPECT_THAT(reply.body, Not(HasSubstr("secret detail")));
}

TEST_F(Cve, 2026_29076_NoRegularExpressionSeesABoundary) {
  const std::string head =
      "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n"
      "Content-Type: multipart/form-data; boundary=";
  EXPECT_EQ(ReplyTo(head + std::string(7900, 'b') + "\r\n\r\n{}").status, 415);
  EXPECT_EQ(ReplyTo(head + std::string(8100, 'b') + "\r\n\r\n{}").status, 431);
  EXPECT_EQ(Connect().Get("/ping").status, 200);
}

TEST_F(Cve, 2026_34441_TheBodyOfAGetIsNotReadAsARequest) {
  const std::string hidden =
      "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
      "Content-Length: 0\r\n\r\n";
  HttpTestClient client = Connect();
  ASSERT_TRUE(client.Send(
      "GET /ping HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(hidden.size()) +
      "\r\n\r\n" + hidden + "GET /query?last=1 HTTP/1.1\r\nHost: x\r\n\r\n"));
  EXPECT_EQ(client.Read().body, "pong\n");
  EXPECT_EQ(client.Read().body, "last=1;\n");
  ASSERT_TRUE(observer_.WaitForRequests(2));
  EXPECT_EQ(observer_.requests().size(), 2u);
}

TEST_F(Cve, RequestSmuggling_ContradictoryFramingEndsTheConnection) {
  const std::string hidden = "GET /query?smuggled=1 HTTP/1.1\r\nHost: x\r\n\r\n";
  for (const std::string& framing :
       {std::string("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"),
        std::string("Content-Length: 5\r\nContent-Length: 0\r\n"),
        std::string("Content-Length: 5, 0\r\n"), std::string("Content-Length: +5\r\n"),
        std::string("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n"),
        std::string("Transfer-Encoding : chunked\r\n"),
        std::string("Transfer-Encoding:\r\n chunked\r\n"),
        std::string("Transfer-Encoding: \x0b chunked\r\n"),
        std::string("Transfer-Encoding: cow\r\n")}) {
    HttpTestClient client = Connect();
    ASSERT_TRUE(client.Send(Head(framing) + "0\r\n\r\n" + hidden));
    const auto reply = client.Read();
    ASSERT_TRUE(reply.received()) << framing;
    EXPECT_GE(reply.status, 400) << framing;
    EXPECT_EQ(reply.headers.at("connection"), "close") << framing;
    EXPECT_FALSE(client.Read().received()) << framing << ": what follows must not be answered";
  }
  for (const auto& request : observer_.requests()) EXPECT_EQ(request.route, "");
}

TEST_F(Cve, HeaderValuesAreNotPercentDecoded) {
  // The library decodes them, so that %0d%0a would become a line break in whatever copies the
  // value.
  http::Router router;
  router.Get("/header", [](const http::Request& request) {
    return http::TextResponse(200, request.Header("x-value").value_or("none"));
  });
  http::Server server(options_, router, observer_);
  const Result<std::string> address = server.Start();
  ASSERT_TRUE(address.ok());
  HttpTestClient client(*address);
  ASSERT_TRUE(client.Send("GET /header HTTP/1.1\r\nHost: x\r\nX-Value: a%0d%0ab\r\n\r\n"));
  EXPECT_EQ(client.Read().body, "a%0d%0ab\n");
}

}  // namespace
}  // namespace aliquot::test
