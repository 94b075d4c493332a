// SPDX-License-Identifier: Apache-2.0
// The authenticated listener: who may read which page of the allocator.
#include <gmock/gmock.h>

#include "tests/integration/allocator_fixture.h"
#include "tests/support/fake_api_server.h"

namespace aliquot::allocator {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr char kReader[] = "system:serviceaccount:monitoring:prometheus";

class AllocatorPagesTest : public AllocatorTest {
 protected:
  AllocatorPagesTest() : server_(test::FakeApiServerOptions(), &api_authority_) {
    const std::string ca = directory_.Write("api-ca.crt", api_authority_.certificate());
    configuration_.kubeconfig =
        directory_.Write("kubeconfig",
                         "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                         "clusters: [{name: c, cluster: {server: \"" +
                             server_.url() + "\", certificate-authority: \"" + ca +
                             "\"}}]\n"
                             "contexts: [{name: c, context: {cluster: c, user: u}}]\n"
                             "users: [{name: u, user: {token: own}}]\n");
    configuration_.listen.authenticated = "127.0.0.1:0";
    server_.reviews().AddToken("of-prometheus", kReader);
    server_.reviews().Allow(kReader, "/metrics");
  }
  ~AllocatorPagesTest() override { application_.reset(); }  // before the server it talks to

  test::HttpReply Ask(const std::string& target, const std::string& header = "") const {
    test::HttpTestClient client(application_->addresses().authenticated,
                                test::ClientTls{authority_.certificate(), {}, 0});
    EXPECT_TRUE(client.ok()) << client.error();
    client.Send("GET " + target + " HTTP/1.1\r\nHost: a\r\n" + header + "\r\n");
    return client.Read();
  }

  test::CertificateAuthority api_authority_{"API server CA"};
  test::FakeApiServer server_;
};

TEST_F(AllocatorPagesTest, AKnownReaderGetsThePageItMayGet) {
  StartReady();
  const test::HttpReply page = Ask("/metrics", "Authorization: Bearer of-prometheus\r\n");
  EXPECT_EQ(page.status, 200);
  EXPECT_THAT(page.body, HasSubstr("aliquot_allocator_connections{listener=\"authenticated\"} 1"));
}

TEST_F(AllocatorPagesTest, AnotherPageIsAnotherRight) {
  StartReady();
  for (const char* page : {"/explain?pod=default/p", "/cards", "/version"}) {
    const test::HttpReply reply = Ask(page, "Authorization: Bearer of-prometheus\r\n");
    EXPECT_EQ(reply.status, 403) << page;
    EXPECT_THAT(reply.body, HasSubstr("bind ClusterRole aliquot-allocator-reader")) << page;
  }
}

TEST_F(AllocatorPagesTest, NobodyUnknownReadsAnythingButThatItLives) {
  StartReady();
  EXPECT_EQ(Ask("/healthz").status, 200);
  for (const char* page : {"/metrics", "/explain?pod=default/p", "/cards", "/version"}) {
    EXPECT_EQ(Ask(page).status, 401) << page;
    const test::HttpReply forged = Ask(page, "Authorization: Bearer forged\r\n");
    EXPECT_EQ(forged.status, 401) << page;
    EXPECT_THAT(forged.body, Not(HasSubstr("forged"))) << "no token in an answer";
  }
  EXPECT_EQ(Ask("/readyz").status, 404) << "of the loopback listener only";
}

TEST_F(AllocatorPagesTest, ItIsOffUnlessConfigured) {
  configuration_.listen.authenticated.clear();
  StartReady();
  EXPECT_EQ(application_->addresses().authenticated, "");
  EXPECT_EQ(Monitor("/metrics").status, 200);
}

}  // namespace
}  // namespace aliquot::allocator
