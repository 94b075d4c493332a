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
    return LoadKubeconfig(directory_.Write("config", text), {context});
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
      {server, "token: t, as-groups: [g]", "users \"u1\".as-groups is not supported"},
      {server, "token: t, exec: {command: aws}", "users \"u1\".exec is not supported"},
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

// What a program takes that has a person before it.
class PersonKubeconfigTest : public KubeconfigTest {
 protected:
  Result<ClientConfig> LoadForPerson(const std::string& cluster, const std::string& user) {
    KubeconfigOptions options;
    options.for_person = true;
    return LoadKubeconfig(directory_.Write("config", Kubeconfig(cluster, user)), options);
  }
  Result<ClientConfig> LoadExec(const std::string& fields) {
    return LoadForPerson(std::string(kServer) + cluster_fields_, "exec: {" + fields + "}");
  }

  std::string cluster_fields_;
};

constexpr const char* kBeta = "apiVersion: client.authentication.k8s.io/v1beta1";
constexpr const char* kStable = "apiVersion: client.authentication.k8s.io/v1";

TEST_F(PersonKubeconfigTest, APluginIsReadWithAllItsFields) {
  cluster_fields_ =
      ", extensions: [{name: other, extension: 1}, {name: client.authentication.k8s.io/exec, "
      "extension: {audience: '07', n: 7, on: yes, list: [a, null]}}]";
  const auto config =
      LoadExec(std::string(kStable) +
               ", command: aws, args: [eks, get-token, 1], env: [{name: A, value: b}, {name: C}], "
               "installHint: get it, interactiveMode: Always, provideClusterInfo: true");
  ASSERT_TRUE(config.ok()) << config.status().message();
  ASSERT_TRUE(config->exec);
  const ExecPlugin& plugin = *config->exec;
  EXPECT_EQ(plugin.where, "kubeconfig " + directory_.PathOf("config") + ": users \"u1\".exec");
  EXPECT_EQ(plugin.command, "aws");
  EXPECT_EQ(plugin.arguments, (std::vector<std::string>{"eks", "get-token", "1"}));
  EXPECT_EQ(plugin.environment,
            (std::vector<std::pair<std::string, std::string>>{{"A", "b"}, {"C", ""}}));
  EXPECT_EQ(plugin.api_version, "client.authentication.k8s.io/v1");
  EXPECT_EQ(plugin.install_hint, "get it");
  EXPECT_EQ(plugin.interactive, ExecPlugin::Interactive::kAlways);
  EXPECT_TRUE(plugin.provide_cluster_info);
  EXPECT_EQ(plugin.cluster_config, R"({"audience":"07","list":["a",null],"n":7,"on":true})");
}

TEST_F(PersonKubeconfigTest, ACommandWithASlashIsRelativeToTheFile) {
  EXPECT_EQ(LoadExec(std::string(kBeta) + ", command: ./bin/login")->exec->command,
            directory_.PathOf("bin/login"));
  EXPECT_EQ(LoadExec(std::string(kBeta) + ", command: /opt/login")->exec->command, "/opt/login");
}

TEST_F(PersonKubeconfigTest, TheBetaMayLeaveTheModeOut) {
  const auto config = LoadExec(std::string(kBeta) + ", command: login");
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config->exec->interactive, ExecPlugin::Interactive::kIfAvailable);
  EXPECT_FALSE(config->exec->provide_cluster_info);
  EXPECT_EQ(config->exec->cluster_config, "");
}

TEST_F(PersonKubeconfigTest, APluginIsLeftAloneWhereTheUserHasACredential) {
  for (const char* user : {"token: t, exec: {command: x}", "tokenFile: f, exec: {command: x}",
                           "client-certificate: c, client-key: k, exec: {command: x}"}) {
    const auto config = LoadForPerson(kServer, user);
    ASSERT_TRUE(config.ok()) << config.status().message();
    EXPECT_FALSE(config->exec) << user;
  }
}

TEST_F(PersonKubeconfigTest, APluginThatCannotBeRunIsNamedByItsField) {
  struct Case {
    std::string fields;
    const char* sentence;
  };
  const std::string beta = kBeta;
  const Case cases[] = {
      {beta, ".exec.command is missing"},
      {"command: x", ".exec.apiVersion is \"\"; use"},
      {"command: x, apiVersion: client.authentication.k8s.io/v1alpha1", "v1alpha1\"; use"},
      {std::string(kStable) + ", command: x", ".exec.interactiveMode is \"\"; use Never,"},
      {beta + ", command: x, interactiveMode: Sometimes", ".exec.interactiveMode is \"Sometimes\""},
      {beta + ", command: x, args: one", ".exec.args must be a list"},
      {beta + ", command: x, env: {A: b}", ".exec.env must be a list"},
      {beta + ", command: x, env: [{value: b}]", ".exec.env must hold objects with name and value"},
  };
  for (const Case& c : cases) {
    const auto config = LoadExec(c.fields);
    ASSERT_FALSE(config.ok()) << c.sentence;
    EXPECT_THAT(config.status().message(), HasSubstr("users \"u1\"" + std::string(".exec")));
    EXPECT_THAT(config.status().message(), HasSubstr(c.sentence));
  }
  EXPECT_THAT(LoadForPerson("server: 'http://127.0.0.1:1'", "exec: {" + beta + ", command: x}")
                  .status()
                  .message(),
              HasSubstr("is not encrypted"));
}

TEST_F(PersonKubeconfigTest, AProxyAndAnotherUserAreTaken) {
  const auto config =
      LoadForPerson(std::string(kServer) + ", proxy-url: 'socks5://127.0.0.1:1080'",
                    "token: t, as: jane, as-uid: 7, as-groups: [dev, 'ops'], as-user-extra: "
                    "{scopes: [view, edit]}");
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config->proxy_url, "socks5://127.0.0.1:1080");
  EXPECT_EQ(config->impersonation.user, "jane");
  EXPECT_EQ(config->impersonation.uid, "7");
  EXPECT_EQ(config->impersonation.groups, (std::vector<std::string>{"dev", "ops"}));
  EXPECT_EQ(config->impersonation.extra, (std::vector<std::pair<std::string, std::string>>{
                                             {"scopes", "view"}, {"scopes", "edit"}}));
  EXPECT_THAT(LoadForPerson(kServer, "token: t, as-groups: [dev]").status().message(),
              HasSubstr("users \"u1\".as is missing"));
}

TEST_F(PersonKubeconfigTest, WhatIsUnsafeOrGoneIsRefusedThereToo) {
  EXPECT_THAT(LoadForPerson(std::string(kServer) + ", insecure-skip-tls-verify: true", "token: t")
                  .status()
                  .message(),
              HasSubstr("insecure-skip-tls-verify is not supported"));
  EXPECT_THAT(LoadForPerson(kServer, "auth-provider: {name: gcp}").status().message(),
              HasSubstr(".auth-provider is not supported"));
  EXPECT_THAT(LoadForPerson(kServer, "username: admin, password: p").status().message(),
              HasSubstr(".username is not supported"));
}

// Several files as one.
class MergedKubeconfigTest : public ::testing::Test {
 protected:
  Result<ClientConfig> Load(const std::vector<std::string>& paths) {
    return LoadKubeconfigs(paths, {});
  }
  static std::string User(const std::string& fields) {
    return "users:\n- {name: u, user: {" + fields + "}}\n";
  }
  static std::string Cluster(const std::string& fields) {
    return "clusters:\n- {name: k, cluster: {" + fields + "}}\n";
  }
  static std::string Context(const std::string& name) {
    return "current-context: " + name + "\ncontexts:\n- {name: " + name +
           ", context: {cluster: k, user: u, namespace: of-" + name + "}}\n";
  }

  test::TemporaryDirectory a_;
  test::TemporaryDirectory b_;
};

TEST_F(MergedKubeconfigTest, PartsMayStandInAnyFile) {
  const auto config = Load({a_.Write("a", User("token: t")), a_.Write("b", Context("c")),
                            b_.Write("c", Cluster(kServer))});
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config->server, "https://10.0.0.1:6443");
  EXPECT_EQ(config->token.data, "t");
  EXPECT_EQ(config->namespace_name, "of-c");
}

TEST_F(MergedKubeconfigTest, TheFirstOfANameIsTakenWholeAndNeverMixed) {
  const auto config = Load({a_.Write("a", Context("first") + User("token: one")),
                            b_.Write("b", Context("second") + User("tokenFile: two") +
                                              Cluster(kServer) + "preferences: {}\n")});
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config->namespace_name, "of-first");
  EXPECT_EQ(config->token.data, "one");
  EXPECT_EQ(config->token.file, "");
}

TEST_F(MergedKubeconfigTest, RelativePathsAreRelativeToTheFileInWhichTheyStand) {
  const auto config =
      Load({a_.Write("a", Context("c") + User("tokenFile: token")),
            b_.Write("b", Cluster(std::string(kServer) + ", certificate-authority: ca.crt"))});
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config->token.file, a_.PathOf("token"));
  EXPECT_EQ(config->certificate_authority.file, b_.PathOf("ca.crt"));
}

TEST_F(MergedKubeconfigTest, FilesThatAreNotThereAreSkippedAndEmptyOnesHoldNothing) {
  const std::string whole = b_.Write("b", Context("c") + Cluster(kServer) + User("token: t"));
  EXPECT_TRUE(Load({a_.PathOf("absent"), a_.Write("empty", ""), whole}).ok());
  const auto none = Load({a_.PathOf("x"), a_.PathOf("y")});
  EXPECT_EQ(none.status().code(), StatusCode::kNotFound);
  EXPECT_EQ(none.status().message(),
            "none of the kubeconfigs " + a_.PathOf("x") + ", " + a_.PathOf("y") + " is there");
  EXPECT_EQ(Load({a_.PathOf("x")}).status().message(),
            "kubeconfig " + a_.PathOf("x") + " is not there");
}

TEST_F(MergedKubeconfigTest, AnErrorNamesTheFileThatHoldsTheFault) {
  const std::string context = a_.Write("a", Context("c"));
  const auto problem = [&](const std::string& text) {
    return Load({context, b_.Write("b", text)}).status().message();
  };
  const std::string second = "kubeconfig " + b_.PathOf("b") + ": ";
  EXPECT_EQ(problem("a: {"), second + "line 1 is not valid YAML");
  EXPECT_EQ(problem(Cluster(kServer) + User("token: [t]")),
            second + "users \"u\".token must be a string");
  EXPECT_EQ(problem(Cluster("server: 'ftp://x'") + User("token: t")),
            second + "server \"ftp://x\" must begin with https://");
  EXPECT_EQ(problem("clusters: {}"), second + "clusters must be a list");
  EXPECT_EQ(problem(Cluster(kServer)), "kubeconfig " + a_.PathOf("a") + " and kubeconfig " +
                                           b_.PathOf("b") + ": users has no entry named \"u\"");
}

}  // namespace
}  // namespace aliquot::kubeclient
