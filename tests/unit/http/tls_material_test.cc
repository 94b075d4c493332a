// SPDX-License-Identifier: Apache-2.0
#include "http/tls_material.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/test_certificates.h"

namespace aliquot::http {
namespace {

using Change = TlsMaterialSource::Change;

class TlsMaterialTest : public testing::Test {
 protected:
  TlsMaterialTest() {
    options_.certificate_file = directory_.PathOf("tls.crt");
    options_.key_file = directory_.PathOf("tls.key");
    options_.client_ca_file = directory_.PathOf("ca.crt");
    WritePair(first_);
    directory_.Write("ca.crt", authority_.certificate());
  }

  void WritePair(const test::KeyPair& pair) {
    directory_.Write("tls.crt", pair.certificate);
    directory_.Write("tls.key", pair.key);
  }

  test::CertificateAuthority authority_;
  test::KeyPair first_ = authority_.IssueServer();
  test::KeyPair second_ = authority_.IssueServer();
  test::TemporaryDirectory directory_;
  TlsOptions options_;
};

TEST_F(TlsMaterialTest, IsTakenOnceAndAgainWhenItChanges) {
  TlsMaterialSource source(options_);
  EXPECT_EQ(source.Current(), nullptr);
  ASSERT_TRUE(source.Refresh().ok());
  const auto first = source.Current();
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(*source.Refresh(), Change::kNone);
  WritePair(second_);
  EXPECT_EQ(*source.Refresh(), Change::kTaken);
  EXPECT_NE(source.Current(), first);
  EXPECT_NE(X509_cmp(source.Current()->certificate.get(), first->certificate.get()), 0);
}

TEST_F(TlsMaterialTest, AHalfWrittenPairIsReportedOnceAndTheOldOneStays) {
  TlsMaterialSource source(options_);
  ASSERT_TRUE(source.Refresh().ok());
  const auto first = source.Current();
  directory_.Write("tls.crt", second_.certificate);
  const Result<Change> refused = source.Refresh();
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.status().message().find("tls.key"), std::string::npos);
  EXPECT_NE(refused.status().message().find("does not belong"), std::string::npos);
  EXPECT_EQ(source.Current(), first);
  EXPECT_EQ(*source.Refresh(), Change::kNone) << "the same content is not reported twice";
  directory_.Write("tls.key", second_.key);
  EXPECT_EQ(*source.Refresh(), Change::kTaken);
}

TEST_F(TlsMaterialTest, FollowsTheLinkThatKubernetesSwaps) {
  namespace fs = std::filesystem;
  for (const auto& [name, pair] : {std::pair("v1", first_), std::pair("v2", second_)}) {
    fs::create_directory(directory_.PathOf(name));
    directory_.Write(std::string(name) + "/tls.crt", pair.certificate);
    directory_.Write(std::string(name) + "/tls.key", pair.key);
  }
  fs::create_directory_symlink("v1", directory_.PathOf("..data"));
  options_.certificate_file = directory_.PathOf("mounted.crt");
  options_.key_file = directory_.PathOf("mounted.key");
  fs::create_symlink("..data/tls.crt", options_.certificate_file);
  fs::create_symlink("..data/tls.key", options_.key_file);
  TlsMaterialSource source(options_);
  ASSERT_TRUE(source.Refresh().ok());
  fs::create_directory_symlink("v2", directory_.PathOf("..data_tmp"));
  fs::rename(directory_.PathOf("..data_tmp"), directory_.PathOf("..data"));
  EXPECT_EQ(*source.Refresh(), Change::kTaken);
}

TEST_F(TlsMaterialTest, ErrorsNameTheFileAndNeverItsContent) {
  const std::string garbage =
      "-----BEGIN PRIVATE KEY-----\nc2VjcmV0LWJ5dGVz\n-----END PRIVATE KEY-----\n";
  struct Case {
    std::string file;
    std::string content;
  };
  const Case cases[] = {{"tls.crt", ""},        {"tls.crt", "no pem at all"},
                        {"tls.key", ""},        {"tls.key", garbage},
                        {"ca.crt", "no pem"},   {"ca.crt", first_.key},
                        {"tls.crt", first_.key}};
  for (const Case& c : cases) {
    WritePair(first_);
    directory_.Write("ca.crt", authority_.certificate());
    directory_.Write(c.file, c.content);
    const Result<Change> refused = TlsMaterialSource(options_).Refresh();
    ASSERT_FALSE(refused.ok()) << c.file << ": " << c.content;
    EXPECT_NE(refused.status().message().find(directory_.PathOf(c.file)), std::string::npos)
        << refused.status().message();
    EXPECT_EQ(refused.status().message().find("c2VjcmV0"), std::string::npos);
  }
  std::filesystem::remove(options_.key_file);
  const Result<Change> missing = TlsMaterialSource(options_).Refresh();
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.status().message().find("No such file"), std::string::npos)
      << missing.status().message();
}

TEST_F(TlsMaterialTest, ADamagedCertificateBehindAGoodOneIsAnError) {
  directory_.Write("ca.crt", authority_.certificate() +
                                 "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
  EXPECT_FALSE(TlsMaterialSource(options_).Refresh().ok());
}

TEST_F(TlsMaterialTest, ChainAndSeveralClientAuthoritiesAreKept) {
  const test::CertificateAuthority other("other");
  directory_.Write("ca.crt", authority_.certificate() + other.certificate());
  directory_.Write("tls.crt", first_.certificate + authority_.certificate());
  TlsMaterialSource source(options_);
  ASSERT_TRUE(source.Refresh().ok());
  EXPECT_EQ(sk_X509_num(source.Current()->chain.get()), 1);
  EXPECT_EQ(sk_X509_NAME_num(source.Current()->client_ca_names.get()), 2);
}

}  // namespace
}  // namespace aliquot::http
