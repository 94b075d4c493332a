// SPDX-License-Identifier: Apache-2.0
#include "http/self_signed.h"

#include <gtest/gtest.h>
#include <openssl/x509v3.h>

#include <ctime>

namespace aliquot::http {
namespace {

TEST(SelfSignedTest, IsForTheNameSignedByItsOwnKeyAndGoodNow) {
  const auto material = MakeSelfSigned("node-1");
  ASSERT_TRUE(material.ok()) << material.status().message();
  X509* certificate = (*material)->certificate.get();
  EXPECT_EQ(X509_check_host(certificate, "node-1", 0, 0, nullptr), 1);
  EXPECT_EQ(X509_check_host(certificate, "node-2", 0, 0, nullptr), 0);
  EXPECT_EQ(X509_verify(certificate, (*material)->key.get()), 1);
  EXPECT_EQ(X509_check_private_key(certificate, (*material)->key.get()), 1);
  EXPECT_LT(X509_cmp_current_time(X509_get0_notBefore(certificate)), 0);
  EXPECT_GT(X509_cmp_current_time(X509_get0_notAfter(certificate)), 0);
}

TEST(SelfSignedTest, TwoAreNeverTheSame) {
  const auto one = MakeSelfSigned("n");
  const auto other = MakeSelfSigned("n");
  ASSERT_TRUE(one.ok() && other.ok());
  EXPECT_NE(X509_cmp((*one)->certificate.get(), (*other)->certificate.get()), 0);
}

TEST(SelfSignedTest, TheSourceMakesOneAndKeepsIt) {
  TlsOptions options;
  options.self_signed_name = "n";
  TlsMaterialSource source(options);
  ASSERT_TRUE(source.Refresh().ok());
  const auto first = source.Current();
  const auto again = source.Refresh();
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again, TlsMaterialSource::Change::kNone);
  EXPECT_EQ(source.Current(), first);
}

TEST(SelfSignedTest, ANameThatIsNoneIsAnError) { EXPECT_FALSE(MakeSelfSigned("a,b:c").ok()); }

}  // namespace
}  // namespace aliquot::http
