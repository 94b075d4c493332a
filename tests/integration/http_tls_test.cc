// SPDX-License-Identifier: Apache-2.0
// Who gets in, with which TLS, and how certificates change under load.
#include <gmock/gmock.h>
#include <openssl/x509v3.h>

#include <atomic>
#include <thread>

#include "tests/integration/http_test_server.h"

namespace aliquot::test {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

// TLS 1.3 tells a client that it was refused only after the handshake has ended on its side.
bool IsRefused(HttpTestClient& client) { return !client.ok() || !client.Get("/ping").received(); }

TEST_F(HttpServerTest, TheClientsCommonNameComesFromItsCertificate) {
  StartTls(true);
  HttpTestClient client = Connect();
  ASSERT_TRUE(client.ok()) << client.error();
  EXPECT_EQ(client.Get("/whoami").body, "system:kube-scheduler\n");
}

TEST_F(HttpServerTest, RefusesClientsWithoutACertificateOfTheClientAuthority) {
  StartTls(true);
  const CertificateAuthority stranger("client CA");  // the same name, another key
  struct Case {
    std::optional<KeyPair> identity;
    std::string reason;
  };
  const Case cases[] = {
      {std::nullopt, "peer did not return a certificate"},
      {stranger.IssueClient("system:kube-scheduler"), "certificate verify failed"},
      {client_authority_.IssueServer(), "certificate verify failed"},  // not for clients
      {authority_.IssueClient("system:kube-scheduler"), "certificate verify failed"}};
  for (const Case& c : cases) {
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
      HttpTestClient client(address_, ClientTls{authority_.certificate(), c.identity, version});
      EXPECT_TRUE(IsRefused(client)) << c.reason;
      // The alert arrives, not a bare reset: the operator of the client learns why.
      EXPECT_THAT(client.error(), HasSubstr("alert")) << c.reason;
    }
  }
  EXPECT_TRUE(observer_.requests().empty());
  for (const std::string& failure : observer_.failures()) EXPECT_THAT(failure, HasSubstr("tls"));
  EXPECT_EQ(Connect().Get("/ping").status, 200);
}

TEST_F(HttpServerTest, WithoutAClientAuthorityNoCertificateIsAsked) {
  StartTls(false);
  HttpTestClient client(address_, ClientTls{authority_.certificate(), std::nullopt, 0});
  ASSERT_TRUE(client.ok()) << client.error();
  EXPECT_EQ(client.Get("/whoami").body, "\n");
}

TEST_F(HttpServerTest, SpeaksTls12And13AndNothingOlder) {
  StartTls(true);
  for (const auto& [version, name] : {std::pair(TLS1_2_VERSION, "TLSv1.2"), {0, "TLSv1.3"}}) {
    ClientTls tls = GoodClient();
    tls.max_version = version;
    HttpTestClient client(address_, tls);
    ASSERT_TRUE(client.ok()) << client.error();
    EXPECT_STREQ(SSL_get_version(client.ssl()), name);
    EXPECT_EQ(client.Get("/ping").status, 200);
  }
  for (const int version : {TLS1_VERSION, TLS1_1_VERSION}) {
    ClientTls tls = GoodClient();
    tls.max_version = version;
    EXPECT_FALSE(HttpTestClient(address_, tls).ok());
  }
}

TEST_F(HttpServerTest, ChoosesHttp11AndOffersNoResumption) {
  StartTls(true);
  for (const int version : {TLS1_2_VERSION, 0}) {
    ClientTls tls = GoodClient();
    tls.max_version = version;
    HttpTestClient client(address_, tls);
    ASSERT_EQ(client.Get("/ping").status, 200);
    const unsigned char* protocol = nullptr;
    unsigned int size = 0;
    SSL_get0_alpn_selected(client.ssl(), &protocol, &size);
    EXPECT_EQ(std::string(protocol, protocol + size), "http/1.1");
    EXPECT_FALSE(SSL_SESSION_is_resumable(SSL_get_session(client.ssl())))
        << "a resumed session would skip a changed client CA";
  }
}

TEST_F(HttpServerTest, PlainHttpOnTheTlsPortGetsASentenceAndHarmsNobody) {
  StartTls(true);
  HttpTestClient plain(address_);
  ASSERT_TRUE(plain.Send("GET /ping HTTP/1.1\r\nHost: x\r\n\r\n"));
  const auto reply = plain.Read();
  ASSERT_TRUE(reply.received());
  EXPECT_EQ(reply.status, 400);
  EXPECT_THAT(reply.body, HasSubstr("HTTPS"));
  EXPECT_TRUE(plain.ClosesWithin(milliseconds(2000)));
  for (const std::string& garbage : {std::string(5000, '\0'), std::string(5000, '\xff'),
                                     std::string("\x16\x03\x01\xff\xff", 5)}) {
    HttpTestClient noise(address_);
    noise.Send(garbage);
    noise.Close();
  }
  EXPECT_EQ(Connect().Get("/ping").status, 200);
}

// Clients that open a connection for each second request, until told to stop.
class Load {
 public:
  Load(std::string address, ClientTls tls) : address_(std::move(address)), tls_(std::move(tls)) {
    for (int i = 0; i < 3; ++i) threads_.emplace_back([this] { Run(); });
  }
  ~Load() { Stop(); }
  void Stop() {
    stop_ = true;
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }
  int succeeded() const { return succeeded_; }
  int failed() const { return failed_; }

 private:
  void Run() {
    while (!stop_) {
      HttpTestClient client(address_, tls_);
      for (int i = 0; i < 2; ++i) {
        const auto reply = client.ok() ? client.Post("/echo", "{}") : HttpReply();
        ++(reply.body == "{}" ? succeeded_ : failed_);
      }
    }
  }

  const std::string address_;
  const ClientTls tls_;
  std::atomic<bool> stop_{false};
  std::atomic<int> succeeded_{0};
  std::atomic<int> failed_{0};
  std::vector<std::thread> threads_;
};

TEST_F(HttpServerTest, ANewServerCertificateIsTakenUnderLoadWithoutALostRequest) {
  StartTls(true);
  Load load(address_, GoodClient());
  for (std::size_t i = 1; i <= 5; ++i) {
    const KeyPair next = authority_.IssueServer({"127.0.0.1", "round" + std::to_string(i)});
    // A crash between the two writes is what the pair check is for; either order must do.
    directory_.Write("tls.key", next.key);
    directory_.Write("tls.crt", next.certificate);
    bool taken = false;
    for (std::size_t seen = 1; !taken && observer_.WaitForReloads(seen); ++seen) {
      HttpTestClient client(address_, GoodClient());
      ASSERT_TRUE(client.ok()) << client.error();
      X509* shown = SSL_get0_peer_certificate(client.ssl());
      taken = X509_check_host(shown, ("round" + std::to_string(i)).c_str(), 0, 0, nullptr) == 1;
    }
    EXPECT_TRUE(taken) << i;
  }
  load.Stop();
  EXPECT_EQ(load.failed(), 0);
  EXPECT_GT(load.succeeded(), 0);
}

TEST_F(HttpServerTest, ANewClientAuthorityIsTakenAndTheOldOneRefused) {
  StartTls(true);
  const CertificateAuthority next("next client CA");
  const ClientTls old_client = GoodClient();
  const ClientTls new_client{authority_.certificate(), next.IssueClient("next"), 0};
  HttpTestClient open(address_, old_client);
  ASSERT_EQ(open.Get("/ping").status, 200);

  // First both, as an operator rotates; a client of the old one loses nothing.
  Load load(address_, old_client);
  directory_.Write("client-ca.crt", client_authority_.certificate() + next.certificate());
  ASSERT_TRUE(observer_.WaitForReloads(1));
  EXPECT_EQ(HttpTestClient(address_, new_client).Get("/whoami").body, "next\n");
  load.Stop();
  EXPECT_EQ(load.failed(), 0);

  directory_.Write("client-ca.crt", next.certificate());
  ASSERT_TRUE(observer_.WaitForReloads(2));
  HttpTestClient refused(address_, old_client);
  EXPECT_TRUE(IsRefused(refused));
  EXPECT_EQ(HttpTestClient(address_, new_client).Get("/whoami").body, "next\n");
  EXPECT_EQ(open.Get("/ping").status, 200) << "open connections are not cut";
}

TEST_F(HttpServerTest, AnUnusableCertificateIsReportedAndTheOldOneStays) {
  StartTls(true);
  directory_.Write("tls.key", authority_.IssueServer().key);
  ASSERT_TRUE(observer_.WaitForReloads(1));
  EXPECT_FALSE(observer_.reloads()[0].ok());
  EXPECT_THAT(observer_.reloads()[0].message(), HasSubstr("tls.key"));
  EXPECT_EQ(Connect().Get("/ping").status, 200);
  EXPECT_TRUE(server_->ReloadTls().ok()) << "nothing changed since, so nothing is reported";
}

}  // namespace
}  // namespace aliquot::test
