// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/test_certificates.h"

namespace aliquot::kubeclient {
namespace {

using ::testing::HasSubstr;

std::string Kubeconfig(const std::string& cluster, const std::string& user) {
  return "apiVersion: v1\nkind: Config\ncurrent-context: main\n"
         "contexts:\n"
         "- {name: main, context: {cluster: c1, user: u1, namespace: team}}\n"
         "- {name: other, context: {cluster: c2, user: u1}}\n"
         "clusters:\n"
         "- name: c1\n  cluster: {" +
         cluster +
         "}\n"
         "- name: c2\n  cluster: {server: 'https://other:6443'}\n"
         "users:\n"
         "- name: u1\n  user: {" +
         user + "}\n";
}

constexpr const char* kServer = "server: 'https://10.0.0.1:6443'";

class KubeconfigTest : public ::testing::Test {
 protected:
  Result<ClientConfig> Load(const std::string& text, const std::string& context = "") {
    return LoadKubeconfig(directory_.Write("config", text), context);
  }

  test::TemporaryDirectory directory_;
};

TEST_F(KubeconfigTest, ReadsTheCurrentContext) {
  const auto config =
      Load(Kubeconfig("server: 'https://10.0.0.1:6443/', tls-server-name: kubernetes, "
                      "certificate-authority-data: Y2E=",
                      "client-certificate-data: Y2VydA==, client-key-data: a2V5"));
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config->server, "https://10.0.0.1:6443");
  EXPECT_EQ(config->tls_server_name, "kubernetes");
  EXPECT_EQ(config->certificate_authority.data, "ca");
  EXPECT_EQ(config->client_certificate.data, "cert");
  EXPECT_EQ(config->client_key.data, "key");
  EXPECT_EQ(config->namespace_name, "team");
}

TEST_F(KubeconfigTest, ANamedContextOverridesTheCurrentOne) {
  const auto config = Load(Kubeconfig(kServer, "token: t"), "other");
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config->server, "https://other:6443");
  EXPECT_EQ(config->token.data, "t");
  EXPECT_EQ(config->namespace_name, "default");
}

TEST_F(KubeconfigTest, RelativePathsAreRelativeToTheFile) {
  const auto config =
      Load(Kubeconfig(std::string(kServer) + ", certificate-authority: pki/ca.crt",
                      "tokenFile: ./token, client-certificate: /abs/c.crt, client-key: ../k"));
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config->certificate_authority.file, directory_.PathOf("pki/ca.crt"));
  EXPECT_EQ(config->token.file, directory_.PathOf("token"));
  EXPECT_EQ(config->client_certificate.file, "/abs/c.crt");
  const std::string& path = directory_.path();
  EXPECT_EQ(config->client_key.file, path.substr(0, path.rfind('/')) + "/k");
}

TEST_F(KubeconfigTest, DataWinsOverFileAndTokenFileOverToken) {
  const auto config = Load(Kubeconfig(
      std::string(kServer) + ", certificate-authority: ca.crt, certificate-authority-data: Y2E=",
      "token: t, tokenFile: token"));
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config->certificate_authority.data, "ca");
  EXPECT_EQ(config->certificate_authority.file, "");
  EXPECT_EQ(config->token.file, directory_.PathOf("token"));
  EXPECT_EQ(config->token.data, "");
}

TEST_F(KubeconfigTest, RefusesWhatItCannotDoSafelyNamingTheField) {
  struct Case {
    std::string cluster;
    std::string user;
    const char* sentence;
  };
  const std::string server = kServer;
  const Case cases[] = {
      {server + ", insecure-skip-tls-verify: true", "token: t",
       "clusters \"c1\".insecure-skip-tls-verify is not supported"},
      {server + ", proxy-url: 'http://proxy'", "token: t", "clusters \"c1\".proxy-url"},
      {"certificate-authority-data: Y2E=", "token: t", "clusters \"c1\".server is missing"},
      {server, "exec: {command: aws}", "users \"u1\".exec is not supported"},
      {server, "auth-provider: {name: gcp}", "users \"u1\".auth-provider is not supported"},
      {server, "username: admin, password: secret9", "users \"u1\".username is not supported"},
      {server, "token: t, as: root", "users \"u1\".as is not supported"},
      {server, "client-certificate: c.crt", "must be given together"},
      {server + ", certificate-authority-data: '*'", "token: t", "-data is not base64"},
      {"server: [a]", "token: t", "clusters \"c1\".server must be a string"},
  };
  for (const Case& c : cases) {
    const auto config = Load(Kubeconfig(c.cluster, c.user));
    ASSERT_FALSE(config.ok()) << c.sentence;
    EXPECT_THAT(config.status().message(), HasSubstr(c.sentence));
    EXPECT_THAT(config.status().message(), HasSubstr(directory_.PathOf("config")));
    EXPECT_THAT(config.status().message(), Not(HasSubstr("secret9")));
  }
}

TEST_F(KubeconfigTest, InsecureFalseIsFine) {
  EXPECT_TRUE(
      Load(Kubeconfig(std::string(kServer) + ", insecure-skip-tls-verify: false", "token: t"))
          .ok());
}

TEST_F(KubeconfigTest, NamesWhatTheContextLacks) {
  const std::string text = Kubeconfig(kServer, "token: t");
  EXPECT_THAT(Load(text, "absent").status().message(),
              HasSubstr("contexts has no entry named \"absent\""));
  EXPECT_THAT(
      Load("current-context: x\ncontexts: [{name: x, context: {cluster: y}}]\n").status().message(),
      HasSubstr("clusters has no entry named \"y\""));
  EXPECT_THAT(Load("apiVersion: v1\n").status().message(), HasSubstr("current-context is not set"));
}

TEST_F(KubeconfigTest, BadYamlNamesTheLineAndQuotesNothing) {
  const auto config = Load("a: b\ntoken: {secret9: [\n");
  ASSERT_FALSE(config.ok());
  EXPECT_THAT(config.status().message(), HasSubstr("is not valid YAML"));
  EXPECT_THAT(config.status().message(), Not(HasSubstr("secret9")));
  EXPECT_FALSE(Load("just text").ok());
  EXPECT_FALSE(Load("").ok());
}

TEST_F(KubeconfigTest, AMissingFileIsNotFound) {
  EXPECT_EQ(LoadKubeconfig(directory_.PathOf("absent")).status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace aliquot::kubeclient
