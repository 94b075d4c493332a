// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/exec_credential.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <nlohmann/json.hpp>

namespace aliquot::kubeclient {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;
using Kind = CommandEnd::Kind;
using Interactive = ExecPlugin::Interactive;

constexpr const char* kV1 = "client.authentication.k8s.io/v1";

ClientConfig WithPlugin() {
  ClientConfig config;
  config.server = "https://10.0.0.1:6443";
  config.exec.emplace();
  config.exec->where = "kubeconfig /k: users \"u1\".exec";
  config.exec->command = "login";
  config.exec->api_version = kV1;
  return config;
}

std::string Answer(const Json& status) {
  return Json{{"apiVersion", kV1}, {"kind", "ExecCredential"}, {"status", status}}.dump();
}

Result<ExecCredential> Parse(const std::string& json) {
  return ParseExecCredential(json, *WithPlugin().exec);
}

// Runs the plugin; it ends as given, and what it was started with is kept.
class ExecPluginTest : public ::testing::Test {
 protected:
  Result<ExecCredential> Run() {
    return RunExecPlugin(config_, "",
                         {[this](const CommandStart& start) {
                            start_ = start;
                            ++runs_;
                            return end_;
                          },
                          terminal_});
  }
  std::string Sentence() { return Run().status().message(); }
  Json Info() const { return Json::parse(start_.environment.back().second); }

  ClientConfig config_ = WithPlugin();
  CommandEnd end_{Kind::kExited, 0, Answer({{"token", "t1"}})};
  bool terminal_ = false;
  CommandStart start_;
  int runs_ = 0;
};

TEST(ExecCredentialAnswer, ATokenOrACertificateOrBothAreTaken) {
  const auto token = Parse(Answer({{"token", "t1"}}));
  ASSERT_TRUE(token.ok()) << token.status().message();
  EXPECT_EQ(token->token, "t1");
  EXPECT_FALSE(token->expires);
  const auto both =
      Parse(Answer({{"token", "t1"}, {"clientCertificateData", "cert"}, {"clientKeyData", "key"}}));
  ASSERT_TRUE(both.ok()) << both.status().message();
  EXPECT_EQ(both->certificate_pem, "cert");
  EXPECT_EQ(both->key_pem, "key");
}

TEST(ExecCredentialAnswer, ItsEndIsATimeOfRfc3339InAnyZone) {
  const SystemTime day = std::chrono::system_clock::from_time_t(1767225600);  // 2026-01-01 UTC
  for (const char* text : {"2026-01-01T00:00:00Z", "2026-01-01T00:00:00.999Z",
                           "2026-01-01T02:30:00+02:30", "2025-12-31T19:00:00-05:00"}) {
    const auto made = Parse(Answer({{"token", "t"}, {"expirationTimestamp", text}}));
    ASSERT_TRUE(made.ok()) << text;
    EXPECT_EQ(made->expires, day) << text;
  }
  const auto never =
      Parse(Answer({{"token", "t"}, {"expirationTimestamp", "9999-12-31T00:00:00Z"}}));
  ASSERT_TRUE(never.ok());
  EXPECT_EQ(never->expires, SystemTime::max());
  const auto past =
      Parse(Answer({{"token", "t"}, {"expirationTimestamp", "0001-01-01T00:00:00Z"}}));
  ASSERT_TRUE(past.ok());
  EXPECT_EQ(past->expires, SystemTime::min());
  for (const char* text : {"tomorrow", "2026-01-01", "2026-01-01T00:00:00", "2026-01-01T00:00:00ZZ",
                           "2026-01-01T00:00:00+1"}) {
    EXPECT_FALSE(Parse(Answer({{"token", "t"}, {"expirationTimestamp", text}})).ok()) << text;
  }
}

TEST(ExecCredentialAnswer, WhatCannotBeUsedIsOneSentenceThatQuotesNothing) {
  struct Case {
    std::string answer;
    const char* sentence;
  };
  const Json status = {{"token", "secret9"}};
  const Case cases[] = {
      {"secret9", "printed something else than one ExecCredential"},
      {"", "printed something else than one ExecCredential"},
      {Answer(status) + "secret9", "printed something else than one ExecCredential"},
      {"[\"secret9\"]", "printed something else than one ExecCredential"},
      {Json{{"apiVersion", kV1}, {"kind", "secret9"}, {"status", status}}.dump(),
       "printed an object of another kind than ExecCredential"},
      {Json{{"apiVersion", "secret9"}, {"kind", "ExecCredential"}, {"status", status}}.dump(),
       "answered with another apiVersion; set apiVersion, now client.authentication.k8s.io/v1,"},
      {Json{{"apiVersion", "client.authentication.k8s.io/v1beta1"},
            {"kind", "ExecCredential"},
            {"status", status}}
           .dump(),
       "answered with apiVersion client.authentication.k8s.io/v1beta1;"},
      {Json{{"apiVersion", kV1}, {"kind", "ExecCredential"}}.dump(), "without status"},
      {Answer("secret9"), "without status"},
      {Answer({{"token", Json::array({"secret9"})}}), "whose status.token is no text"},
      {Answer(Json::object()), "gave neither a token nor a client certificate"},
      {Answer({{"token", "secret9"}, {"clientKeyData", "secret9"}}), "gave only one of"},
      {Answer({{"token", "secret9"}, {"expirationTimestamp", "secret9"}}), "expirationTimestamp"},
  };
  for (const Case& c : cases) {
    const auto made = Parse(c.answer);
    ASSERT_FALSE(made.ok()) << c.sentence;
    EXPECT_THAT(made.status().message(),
                HasSubstr("kubeconfig /k: users \"u1\".exec: plugin \"login\" "));
    EXPECT_THAT(made.status().message(), HasSubstr(c.sentence));
    EXPECT_THAT(made.status().message(), Not(HasSubstr("secret9")));
  }
}

TEST_F(ExecPluginTest, IsStartedWithItsWordsAndVariablesAndTheRequest) {
  config_.exec->arguments = {"get-token", "--cluster", "x"};
  config_.exec->environment = {{"PROFILE", "team"}};
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(start_.command, "login");
  EXPECT_EQ(start_.arguments, config_.exec->arguments);
  ASSERT_EQ(start_.environment.size(), 2u);
  EXPECT_EQ(start_.environment[0], config_.exec->environment[0]);
  EXPECT_EQ(start_.environment[1].first, "KUBERNETES_EXEC_INFO");
  const Json wanted = {
      {"apiVersion", kV1}, {"kind", "ExecCredential"}, {"spec", {{"interactive", false}}}};
  EXPECT_EQ(Info(), wanted);
}

TEST_F(ExecPluginTest, TheClusterIsToldToThoseWhoAskForIt) {
  config_.exec->provide_cluster_info = true;
  config_.exec->cluster_config = R"({"audience":"a","n":1})";
  config_.tls_server_name = "kubernetes";
  config_.proxy_url = "socks5://127.0.0.1:1080";
  const Json info = Json::parse(FormatExecInfo(config_, "ca", true));
  const Json wanted = {{"interactive", true},
                       {"cluster",
                        {{"server", "https://10.0.0.1:6443"},
                         {"tls-server-name", "kubernetes"},
                         {"certificate-authority-data", "Y2E="},
                         {"proxy-url", "socks5://127.0.0.1:1080"},
                         {"config", {{"audience", "a"}, {"n", 1}}}}}};
  EXPECT_EQ(info["spec"], wanted);
}

TEST_F(ExecPluginTest, InputIsPassedToWhoMayAskAndOnlyFromATerminal) {
  struct Case {
    Interactive interactive;
    bool terminal;
    bool passed;
  };
  const Case cases[] = {{Interactive::kNever, true, false},
                        {Interactive::kNever, false, false},
                        {Interactive::kIfAvailable, true, true},
                        {Interactive::kIfAvailable, false, false},
                        {Interactive::kAlways, true, true}};
  for (const Case& c : cases) {
    config_.exec->interactive = c.interactive;
    terminal_ = c.terminal;
    ASSERT_TRUE(Run().ok());
    EXPECT_EQ(start_.passes_input, c.passed);
    EXPECT_EQ(Info()["spec"]["interactive"], c.passed);
    EXPECT_EQ(start_.time_limit, c.terminal ? kPluginTimeAtTerminal : kPluginTime);
  }
}

TEST_F(ExecPluginTest, OneThatNeedsAPersonIsNotStartedWithoutATerminal) {
  config_.exec->interactive = Interactive::kAlways;
  EXPECT_THAT(Sentence(), HasSubstr("needs a person (interactiveMode Always)"));
  EXPECT_EQ(runs_, 0);
}

TEST_F(ExecPluginTest, ItIsRunNowhereUnlessAHostIsGiven) {
  const auto made = RunExecPlugin(config_, "", {});
  EXPECT_THAT(made.status().message(), HasSubstr("is not run by this program"));
}

TEST_F(ExecPluginTest, HowItFailedIsOneSentence) {
  struct Case {
    CommandEnd end;
    const char* sentence;
  };
  const Case cases[] = {
      {{Kind::kNotFound, 0, ""}, "plugin \"login\" is not there; install it"},
      {{Kind::kNotStarted, EACCES, ""}, "could not be started: Permission denied"},
      {{Kind::kOutOfTime, 0, ""}, "gave no answer within 60 s and was ended"},
      {{Kind::kTooTalkative, 0, ""}, "printed over 1 MiB and was ended"},
      {{Kind::kSignalled, SIGKILL, ""}, "was ended by signal 9"},
      {{Kind::kExited, 3, "secret9"}, "ended with exit status 3"},
  };
  for (const Case& c : cases) {
    end_ = c.end;
    EXPECT_THAT(Sentence(), HasSubstr(c.sentence));
    EXPECT_THAT(Sentence(), Not(HasSubstr("secret9")));
  }
}

TEST_F(ExecPluginTest, TheHintOfOneThatIsNotThereIsShownOnOneLine) {
  end_ = {Kind::kNotFound, 0, ""};
  config_.exec->install_hint = "Get it from example.org:\n\n  apt install login\n";
  EXPECT_THAT(Sentence(),
              ::testing::EndsWith("is not there; Get it from example.org:    apt install "
                                  "login"));
}

}  // namespace
}  // namespace aliquot::kubeclient
