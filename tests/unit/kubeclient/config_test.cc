// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/test_certificates.h"

namespace aliquot::kubeclient {
namespace {

using ::testing::HasSubstr;

TEST(InCluster, TakesAddressFromEnvironmentAndFilesFromTheRoot) {
  test::TemporaryDirectory root;
  root.Write("token", "t");
  root.Write("ca.crt", "c");
  root.Write("namespace", "kube-system");
  const auto config = LoadInCluster({"10.0.0.1", "443", root.path()});
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config->server, "https://10.0.0.1:443");
  EXPECT_EQ(config->token.file, root.PathOf("token"));
  EXPECT_EQ(config->certificate_authority.file, root.PathOf("ca.crt"));
  EXPECT_EQ(config->namespace_name, "kube-system");
}

TEST(InCluster, PutsAnIpv6AddressInBrackets) {
  test::TemporaryDirectory root;
  root.Write("token", "t");
  root.Write("ca.crt", "c");
  const auto config = LoadInCluster({"fd00::1", "6443", root.path()});
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config->server, "https://[fd00::1]:6443");
  EXPECT_EQ(config->namespace_name, "default");
}

TEST(InCluster, SaysWhatIsMissing) {
  test::TemporaryDirectory root;
  EXPECT_THAT(LoadInCluster({"", "", root.path()}).status().message(), HasSubstr("--kubeconfig"));
  EXPECT_THAT(LoadInCluster({"10.0.0.1", "443", root.path()}).status().message(),
              HasSubstr(root.PathOf("token") + " does not exist"));
}

TEST(ClientConfig, JudgesTheServer) {
  struct Case {
    const char* server;
    bool ok;
  };
  const Case cases[] = {
      {"https://10.0.0.1:6443", true},
      {"https://api.example.org", true},
      {"https://[::1]:6443", true},
      {"https://example.org/k8s/clusters/c-1", true},
      {"http://127.0.0.1:8001", true},
      {"http://localhost:8001", true},
      {"http://10.0.0.1:8080", false},
      {"http://127.evil.example.org:80", false},
      {"10.0.0.1:6443", false},
      {"ftp://10.0.0.1", false},
      {"https://", false},
      {"https://user@host", false},
      {"https://host:0", false},
      {"https://host:65536", false},
      {"https://host:port", false},
      {"https://[::1:6443", false},
      {"https://host?x=1", false},
      {"https://a b", false},
      {"https://host\r\nX: y", false},
      {"", false},
  };
  for (const Case& c : cases) {
    ClientConfig config;
    config.server = c.server;
    EXPECT_EQ(CheckClientConfig(config).ok(), c.ok) << c.server;
  }
}

TEST(ClientConfig, SendsNoCredentialsUnencrypted) {
  ClientConfig config;
  config.server = "http://127.0.0.1:8001";
  config.token.data = "very-secret";
  const Status status = CheckClientConfig(config);
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(status.message(), HasSubstr("not encrypted"));
  EXPECT_THAT(status.message(), Not(HasSubstr("very-secret")));
}

TEST(ClientConfig, APluginIsACredential) {
  ClientConfig config;
  config.server = "http://127.0.0.1:8001";
  config.exec.emplace();
  EXPECT_THAT(CheckClientConfig(config).message(), HasSubstr("not encrypted"));
}

TEST(ClientConfig, JudgesTheProxyWithoutShowingIt) {
  struct Case {
    const char* url;
    bool ok;
  };
  const Case cases[] = {
      {"http://proxy", true},
      {"https://proxy.example.org:3128/", true},
      {"socks5://[::1]:1080", true},
      {"http://secret9:secret9@proxy:3128", true},
      {"socks4://proxy", false},
      {"proxy:3128", false},
      {"http://", false},
      {"http://secret9@", false},
      {"http://proxy:0", false},
      {"http://secret9:secret 9@proxy", false},
      {"http://proxy\r\nX: y", false},
  };
  for (const Case& c : cases) {
    ClientConfig config;
    config.server = "https://10.0.0.1:6443";
    config.proxy_url = c.url;
    const Status status = CheckClientConfig(config);
    EXPECT_EQ(status.ok(), c.ok) << c.url;
    EXPECT_THAT(status.message(), Not(HasSubstr("secret9")));
  }
}

TEST(ClientConfig, WantsCertificateAndKeyTogether) {
  ClientConfig config;
  config.server = "https://10.0.0.1:6443";
  config.client_key.file = "/key";
  EXPECT_FALSE(CheckClientConfig(config).ok());
  config.client_certificate.file = "/certificate";
  EXPECT_TRUE(CheckClientConfig(config).ok());
}

}  // namespace
}  // namespace aliquot::kubeclient
