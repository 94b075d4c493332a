// SPDX-License-Identifier: Apache-2.0
#include "kubeclient/credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace aliquot::kubeclient
