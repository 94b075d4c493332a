// SPDX-License-Identifier: Apache-2.0
#include "certificates/issuer.h"

#include <gtest/gtest.h>

#include "tests/unit/certificates/trust.h"

namespace aliquot::certificates {
namespace {

using std::chrono::hours;

class IssuerTest : public testing::Test {
 protected:
  KeyedCertificate Authority(hours life = hours(1000)) const {
    return *MakeAuthority({now_ - hours(24), now_ + life});
  }
  std::string Leaf(const KeyedCertificate& authority, std::vector<std::string> names,
                   hours life = hours(100)) const {
    return *IssueLeaf({"leaf", std::move(names), {now_ - hours(24), now_ + life}}, key_, authority);
  }

  const SystemTime now_ = std::chrono::system_clock::from_time_t(1800000000);
  const std::string key_ = *MakeKey();
};

TEST_F(IssuerTest, AServerIsBelievedUnderItsNamesOnly) {
  const KeyedCertificate authority = Authority();
  const std::string leaf = Leaf(authority, {"a.ns.svc", "a"});
  const std::string& roots = authority.certificate;
  EXPECT_EQ(WhyNotTrusted(leaf, roots, Purpose::kServer, now_, "a.ns.svc"), "");
  EXPECT_EQ(WhyNotTrusted(leaf, roots, Purpose::kServer, now_, "a"), "");
  EXPECT_NE(WhyNotTrusted(leaf, roots, Purpose::kServer, now_, "b.ns.svc"), "");
  EXPECT_NE(WhyNotTrusted(leaf, roots, Purpose::kClient, now_), "");
}

TEST_F(IssuerTest, AClientIsNoServer) {
  const KeyedCertificate authority = Authority();
  const std::string leaf = Leaf(authority, {});
  EXPECT_EQ(WhyNotTrusted(leaf, authority.certificate, Purpose::kClient, now_), "");
  EXPECT_NE(WhyNotTrusted(leaf, authority.certificate, Purpose::kServer, now_), "");
}

TEST_F(IssuerTest, AnotherAuthorityProvesNothing) {
  const std::string leaf = Leaf(Authority(), {"a"});
  EXPECT_NE(WhyNotTrusted(leaf, Authority().certificate, Purpose::kServer, now_), "");
}

TEST_F(IssuerTest, AClockThatIsADayBehindBelievesIt) {
  const KeyedCertificate authority = Authority();
  const std::string leaf = Leaf(authority, {"a"});
  EXPECT_EQ(WhyNotTrusted(leaf, authority.certificate, Purpose::kServer, now_ - hours(23)), "");
  EXPECT_NE(WhyNotTrusted(leaf, authority.certificate, Purpose::kServer, now_ - hours(25)), "");
}

TEST_F(IssuerTest, NothingOutlivesItsAuthority) {
  const KeyedCertificate authority = Authority(hours(50));
  EXPECT_EQ(ReadValidity(Leaf(authority, {"a"}, hours(100)))->until, now_ + hours(50));
  const KeyedCertificate longer = Authority(hours(500));
  const auto cross = CrossCertify(longer.certificate, authority, now_ - hours(24));
  EXPECT_EQ(ReadValidity(*cross)->until, now_ + hours(50));
}

TEST_F(IssuerTest, TheCrossCertificateConvincesThoseWhoKnowTheOldOneOnly) {
  const KeyedCertificate before = Authority();
  const KeyedCertificate after = Authority();
  const std::string leaf = Leaf(after, {"a"});
  const std::string cross = *CrossCertify(after.certificate, before, now_ - hours(24));
  EXPECT_NE(WhyNotTrusted(leaf, before.certificate, Purpose::kServer, now_), "");
  EXPECT_EQ(WhyNotTrusted(leaf + cross, before.certificate, Purpose::kServer, now_), "");
  EXPECT_EQ(WhyNotTrusted(leaf + cross, after.certificate, Purpose::kServer, now_), "");
}

TEST_F(IssuerTest, SaysWhyAnAuthorityCannotBeUsed) {
  const KeyedCertificate authority = Authority();
  EXPECT_TRUE(CheckAuthority(authority).ok());
  EXPECT_EQ(CheckAuthority({authority.certificate, key_}).message(),
            "ca.key is not the key of ca.crt");
  EXPECT_EQ(CheckAuthority({Leaf(authority, {"a"}), key_}).message(),
            "ca.crt is not the certificate of an authority");
  EXPECT_EQ(CheckAuthority({authority.certificate, "rubbish"}).message(),
            "ca.key holds no private key in PEM without passphrase");
  EXPECT_EQ(CheckAuthority({"", authority.key}).message(), "ca.crt holds no certificate in PEM");
}

}  // namespace
}  // namespace aliquot::certificates
