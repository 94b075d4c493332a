// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/test_certificates.h"

namespace aliquot::kubeclient {
namespace {

using ::testing::HasSubstr;

class CredentialsTest : public ::testing::Test {
 protected:
  CredentialsTest() {
    config_.server = "https://127.0.0.1:6443";
    config_.certificate_authority.file = directory_.Write("ca.crt", authority_.certificate());
    config_.token.file = directory_.Write("token", "first\n");
  }

  void UseClientCertificate(const test::KeyPair& pair) {
    config_.client_certificate.file = directory_.Write("tls.crt", pair.certificate);
    config_.client_key.file = directory_.Write("tls.key", pair.key);
  }

  std::unique_ptr<Credentials> Load() {
    auto loaded = Credentials::Load(config_, clock_);
    EXPECT_TRUE(loaded.ok()) << loaded.status().message();
    return *std::move(loaded);
  }

  test::CertificateAuthority authority_;
  test::TemporaryDirectory directory_;
  FakeClock clock_;
  ClientConfig config_;
};

TEST_F(CredentialsTest, TheTokenIsTrimmed) { EXPECT_EQ(Load()->Current()->token, "first"); }

TEST_F(CredentialsTest, ARotatedTokenIsSeenWithinAMinuteAndNotReadEachTime) {
  const auto credentials = Load();
  directory_.Write("token", "second");
  EXPECT_EQ(credentials->Current()->token, "first");
  clock_.Advance(std::chrono::minutes(1));
  EXPECT_EQ(credentials->Current()->token, "second");
}

TEST_F(CredentialsTest, ARejectedTokenIsReadAgainAtOnce) {
  const auto credentials = Load();
  const auto rejected = credentials->Current();
  EXPECT_FALSE(credentials->Reload(*rejected)) << "nothing new: another try makes no sense";
  directory_.Write("token", "second");
  EXPECT_TRUE(credentials->Reload(*rejected));
  EXPECT_EQ(credentials->Current()->token, "second");
  EXPECT_TRUE(credentials->Reload(*rejected)) << "somebody else has reloaded already";
}

TEST_F(CredentialsTest, OnlyTlsChangesAskForNewConnections) {
  UseClientCertificate(authority_.IssueClient("a"));
  const auto credentials = Load();
  const auto generation = credentials->Current()->tls_generation;
  directory_.Write("token", "second");
  clock_.Advance(std::chrono::minutes(1));
  EXPECT_EQ(credentials->Current()->tls_generation, generation);
  UseClientCertificate(authority_.IssueClient("b"));
  clock_.Advance(std::chrono::minutes(1));
  EXPECT_EQ(credentials->Current()->tls_generation, generation + 1);
  directory_.Write("ca.crt", test::CertificateAuthority("other").certificate());
  clock_.Advance(std::chrono::minutes(1));
  EXPECT_EQ(credentials->Current()->tls_generation, generation + 2);
}

TEST_F(CredentialsTest, ACertificateWhoseKeyHasNotArrivedYetIsNotUsed) {
  const test::KeyPair old_pair = authority_.IssueClient("a");
  const test::KeyPair new_pair = authority_.IssueClient("a");
  UseClientCertificate(old_pair);
  const auto credentials = Load();
  directory_.Write("tls.crt", new_pair.certificate);
  clock_.Advance(std::chrono::minutes(1));
  EXPECT_EQ(credentials->Current()->certificate_pem, old_pair.certificate);
  EXPECT_THAT(credentials->last_problem().message(),
              HasSubstr("the key does not belong to the certificate"));
  directory_.Write("tls.key", new_pair.key);
  clock_.Advance(std::chrono::minutes(1));
  EXPECT_EQ(credentials->Current()->certificate_pem, new_pair.certificate);
  EXPECT_TRUE(credentials->last_problem().ok());
}

TEST_F(CredentialsTest, AnEmptyOrDamagedFileKeepsTheOldSet) {
  const auto credentials = Load();
  for (const char* bad : {"", "two words", "line\nbreak"}) {
    directory_.Write("token", bad);
    clock_.Advance(std::chrono::minutes(1));
    EXPECT_EQ(credentials->Current()->token, "first") << bad;
    EXPECT_THAT(credentials->last_problem().message(), HasSubstr("holds no usable token")) << bad;
  }
  directory_.Write("token", "first");
  directory_.Write("ca.crt", "not a certificate");
  clock_.Advance(std::chrono::minutes(1));
  EXPECT_EQ(credentials->Current()->ca_pem, authority_.certificate());
  EXPECT_FALSE(credentials->last_problem().ok());
}

TEST_F(CredentialsTest, AFirstSetThatCannotBeUsedIsAnErrorThatNamesTheFile) {
  directory_.Write("token", "");
  EXPECT_THAT(Credentials::Load(config_, clock_).status().message(),
              HasSubstr(directory_.PathOf("token")));
  config_.token.file = directory_.PathOf("absent");
  EXPECT_THAT(Credentials::Load(config_, clock_).status().message(),
              HasSubstr(directory_.PathOf("absent") + " cannot be read"));
}

TEST_F(CredentialsTest, NoMessageHoldsASecret) {
  config_.token = {"secret value", ""};
  const auto loaded = Credentials::Load(config_, clock_);
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(loaded.status().message(), Not(HasSubstr("secret")));
}

// A plugin in the place of the token; it gives "t1", then "t2" and so on.
class PluginCredentialsTest : public CredentialsTest {
 protected:
  PluginCredentialsTest() {
    config_.token = {};
    config_.exec.emplace();
    config_.exec->where = "kubeconfig /k: users \"u\".exec";
    config_.exec->command = "login";
    config_.exec->api_version = "client.authentication.k8s.io/v1";
  }

  Result<std::unique_ptr<Credentials>> TryPlugin() {
    PluginHost host;
    host.run = [this](const CommandStart&) {
      ++runs_;
      return CommandEnd{end_, 0, Printed()};
    };
    return Credentials::Load(config_, clock_, host);
  }
  std::string LoadProblem() { return TryPlugin().status().message(); }

  std::unique_ptr<Credentials> LoadByPlugin() {
    auto loaded = TryPlugin();
    EXPECT_TRUE(loaded.ok()) << loaded.status().message();
    return *std::move(loaded);
  }

  std::string Printed() const {
    return R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{)" +
           status_ + R"("token":")" +
           (fixed_token_.empty() ? "t" + std::to_string(runs_) : fixed_token_) + "\"}}";
  }

  int runs_ = 0;
  std::string status_;  // more fields
  std::string fixed_token_;
  CommandEnd::Kind end_ = CommandEnd::Kind::kExited;
};

TEST_F(PluginCredentialsTest, ThePluginRunsOnceAndTheCaIsStillTheFiles) {
  const auto credentials = LoadByPlugin();
  clock_.Advance(std::chrono::hours(1));
  EXPECT_EQ(credentials->Current()->token, "t1");
  EXPECT_EQ(credentials->Current()->ca_pem, authority_.certificate());
  EXPECT_EQ(runs_, 1);
}

TEST_F(PluginCredentialsTest, WhatTheServerRejectsIsAskedForAgainOnceForAllCallers) {
  const auto credentials = LoadByPlugin();
  const auto rejected = credentials->Current();
  EXPECT_TRUE(credentials->Reload(*rejected));
  EXPECT_EQ(credentials->Current()->token, "t2");
  EXPECT_TRUE(credentials->Reload(*rejected)) << "somebody else has asked already";
  EXPECT_EQ(runs_, 2);
}

TEST_F(PluginCredentialsTest, ThePluginsSameAnswerMakesNoOtherTry) {
  fixed_token_ = "t";
  const auto credentials = LoadByPlugin();
  EXPECT_FALSE(credentials->Reload(*credentials->Current()));
  EXPECT_EQ(runs_, 2);
}

TEST_F(PluginCredentialsTest, WhatHasExpiredIsAskedForAgainAtTheNextLook) {
  status_ =
      R"("expirationTimestamp":"1970-01-02T01:00:00Z",)";  // the clock begins a day after 1970
  const auto credentials = LoadByPlugin();
  clock_.Advance(std::chrono::minutes(59));
  EXPECT_EQ(credentials->Current()->token, "t1");
  clock_.Advance(std::chrono::minutes(1));
  status_ = R"("expirationTimestamp":"1970-01-02T02:00:00Z",)";
  EXPECT_EQ(credentials->Current()->token, "t2");
  clock_.Advance(std::chrono::minutes(1));
  EXPECT_EQ(credentials->Current()->token, "t2");
  EXPECT_EQ(runs_, 2);
}

TEST_F(PluginCredentialsTest, AnExpiredSetStaysWhileThePluginFails) {
  status_ = R"("expirationTimestamp":"1970-01-02T01:00:00Z",)";
  const auto credentials = LoadByPlugin();
  end_ = CommandEnd::Kind::kOutOfTime;
  clock_.Advance(std::chrono::hours(2));
  EXPECT_EQ(credentials->Current()->token, "t1");
  EXPECT_THAT(credentials->last_problem().message(), HasSubstr("gave no answer"));
}

TEST_F(PluginCredentialsTest, ItsCertificateIsUsedWithItsKeyAlone) {
  const test::KeyPair pair = authority_.IssueClient("a");
  const auto json = [](const std::string& pem) { return nlohmann::json(pem).dump(); };
  status_ = "\"clientCertificateData\":" + json(pair.certificate) +
            ",\"clientKeyData\":" + json(pair.key) + ",";
  EXPECT_EQ(LoadByPlugin()->Current()->certificate_pem, pair.certificate);
  status_ = "\"clientCertificateData\":" + json(pair.certificate) +
            ",\"clientKeyData\":" + json(authority_.IssueClient("a").key) + ",";
  EXPECT_THAT(LoadProblem(), HasSubstr("users \"u\".exec: the key does not belong"));
}

TEST_F(PluginCredentialsTest, ATokenThatIsNoHeaderIsRefusedUnquoted) {
  fixed_token_ = "two words";
  EXPECT_EQ(LoadProblem(), "kubeconfig /k: users \"u\".exec holds no usable token");
}

TEST_F(PluginCredentialsTest, AProgramWithoutAHostRunsNone) {
  EXPECT_THAT(Credentials::Load(config_, clock_).status().message(),
              HasSubstr("is not run by this program"));
}

}  // namespace
}  // namespace aliquot::kubeclient
