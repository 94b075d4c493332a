// SPDX-License-Identifier: Apache-2.0
// Who the client trusts, and how it proves who it is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/kubeclient_fixture.h"

namespace aliquot::kubeclient {
namespace {

using ::testing::HasSubstr;
using Outcome = CallResult::Outcome;
using Cause = CallResult::Cause;

class KubeclientTlsTest : public KubeclientTest {
 protected:
  CallResult ListNodes() {
    ApiRequest request;
    request.verb = kListNodes;
    request.query = "limit=1";
    return transport_->Call(request, In(std::chrono::seconds(10)), nullptr);
  }

  // Nothing reached the server, and the reason is the certificate.
  void ExpectRefusedByUs() {
    const CallResult result = ListNodes();
    EXPECT_EQ(result.outcome, Outcome::kNotSent) << result.message;
    EXPECT_EQ(result.cause, Cause::kTls) << result.message;
    EXPECT_EQ(server_->Count("", ""), 0u);
  }
};

TEST_F(KubeclientTlsTest, AServerOfOurCaAndNameIsTrusted) {
  StartServer();
  Connect();
  const CallResult result = ListNodes();
  ASSERT_EQ(result.outcome, Outcome::kReply) << result.message;
  EXPECT_EQ(result.reply.status, 200);
}

TEST_F(KubeclientTlsTest, AServerOfAnotherCaIsRefusedBeforeTheTokenIsSent) {
  StartServer();
  ClientConfig config = Config();
  config.certificate_authority = {test::CertificateAuthority("other").certificate(), ""};
  Connect(config);
  ExpectRefusedByUs();
}

TEST_F(KubeclientTlsTest, AServerOfAnotherNameIsRefused) {
  test::FakeApiServerOptions options;
  options.hosts = {"kubernetes.default.svc"};  // not 127.0.0.1
  StartServer(options);
  Connect();
  ExpectRefusedByUs();
}

TEST_F(KubeclientTlsTest, TheServerNameOfTheConfigurationIsTheOneVerified) {
  test::FakeApiServerOptions options;
  options.hosts = {"kubernetes.default.svc"};
  StartServer(options);
  ClientConfig config = Config();
  config.tls_server_name = "kubernetes.default.svc";
  Connect(config);
  EXPECT_EQ(ListNodes().outcome, Outcome::kReply);
  config.tls_server_name = "elsewhere.example.org";
  Connect(config);
  const CallResult result = ListNodes();
  EXPECT_EQ(result.outcome, Outcome::kNotSent);
  EXPECT_EQ(result.cause, Cause::kTls) << result.message;
}

TEST_F(KubeclientTlsTest, TheSystemsCasDoNotKnowOurServer) {
  StartServer();
  ClientConfig config = Config();
  config.certificate_authority = {};
  Connect(config);
  ExpectRefusedByUs();
}

TEST_F(KubeclientTlsTest, PlainHttpOnTheTlsPortIsNotFallenBackTo) {
  test::FakeApiServerOptions options;
  options.tls = false;
  StartServer(options);
  ClientConfig config = Config();
  config.server.replace(0, 4, "https");
  Connect(config);
  const CallResult result = ListNodes();
  EXPECT_EQ(result.outcome, Outcome::kNotSent) << result.message;
}

TEST_F(KubeclientTlsTest, TheClientCertificateIsShownAndARotatedOneTakesANewConnection) {
  test::FakeApiServerOptions options;
  options.require_client_certificate = true;
  StartServer(options);
  ClientConfig config = Config();
  const auto write = [&](const char* name) {
    const test::KeyPair pair = authority_.IssueClient(name);
    config.client_certificate.file = directory_.Write("tls.crt", pair.certificate);
    config.client_key.file = directory_.Write("tls.key", pair.key);
  };
  write("first");
  FakeClock clock;  // of the credentials; the deadline below is its too
  auto created = CurlTransport::Create(config, clock);
  ASSERT_TRUE(created.ok()) << created.status().message();
  ApiRequest request;
  request.verb = kListNodes;
  const auto call = [&] {
    return (*created)->Call(request, clock.SteadyNow() + std::chrono::seconds(10), nullptr);
  };
  ASSERT_EQ(call().outcome, Outcome::kReply);
  write("second");
  clock.Advance(std::chrono::minutes(1));
  ASSERT_EQ(call().outcome, Outcome::kReply);
  const auto requests = server_->requests();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[0].client, "first");
  EXPECT_EQ(requests[1].client, "second");
  EXPECT_NE(requests[0].client_port, requests[1].client_port);
}

TEST_F(KubeclientTlsTest, WithoutTheClientCertificateTheServerRefuses) {
  test::FakeApiServerOptions options;
  options.require_client_certificate = true;
  StartServer(options);
  Connect();
  EXPECT_NE(ListNodes().outcome, Outcome::kReply);
  EXPECT_EQ(server_->Count("", ""), 0u);
}

TEST_F(KubeclientTlsTest, ARotatedTokenIsReadAtOnceOn401AndTheRequestSentAgain) {
  test::FakeApiServerOptions options;
  options.tokens = {"token-1"};
  StartServer(options);
  Connect();
  EXPECT_EQ(ListNodes().reply.status, 200);
  server_->SetTokens({"token-2"});
  directory_.Write("token", "token-2");
  EXPECT_EQ(ListNodes().reply.status, 200);
  const auto requests = server_->requests();
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_EQ(requests[1].authorization, "Bearer token-1");
  EXPECT_EQ(requests[2].authorization, "Bearer token-2");
  EXPECT_EQ(requests[2].client_port, requests[0].client_port) << "a token needs no new connection";
}

TEST_F(KubeclientTlsTest, WhatAProxiedPodRefusesReadsNoCredentialsAnew) {
  test::FakeApiServerOptions options;
  options.tokens = {"token-1"};
  StartServer(options);
  Connect();
  EXPECT_EQ(ListNodes().reply.status, 200);
  server_->Inject({test::Fault::Kind::kReply, "", "", 1, 401, "no", ""});
  directory_.Write("token", "token-2");
  ApiRequest request;
  request.verb = kProxyPod;
  request.namespace_name = "ns";
  request.name = "https:agent:8443";
  request.subpath = "/shares";
  const CallResult result = transport_->Call(request, In(std::chrono::seconds(10)), nullptr);
  EXPECT_EQ(result.reply.status, 401);
  EXPECT_EQ(server_->requests().size(), 2u) << "it was sent again";
}

TEST_F(KubeclientTlsTest, ATokenThatStaysRefusedIsNotTriedInALoop) {
  test::FakeApiServerOptions options;
  options.tokens = {"another"};
  StartServer(options);
  Connect();
  EXPECT_EQ(ListNodes().reply.status, 401);
  EXPECT_EQ(server_->Count("GET", "/api/v1/nodes"), 1u);
  directory_.Write("token", "token-2");
  EXPECT_EQ(ListNodes().reply.status, 401);
  EXPECT_EQ(server_->Count("GET", "/api/v1/nodes"), 3u);
}

}  // namespace
}  // namespace aliquot::kubeclient
