// SPDX-License-Identifier: Apache-2.0
#include "certificates/signing_keys.h"

#include <gtest/gtest.h>

#include "signing/ed25519_key.h"

namespace aliquot::certificates {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using Published = std::map<std::string, std::string>;

class SigningKeysTest : public testing::Test {
 protected:
  SigningKeys Next(const SigningKeys& held, const Published& published, const std::string& request,
                   SystemTime now) const {
    auto next = NextSigningKeys(held, published, request, minutes(5), now);
    EXPECT_TRUE(next.ok()) << next.status().message();
    return next.ok() ? *next : SigningKeys();
  }

  const SystemTime now_ = std::chrono::system_clock::from_time_t(1800000000);
};

TEST_F(SigningKeysTest, TheFirstOneIsUsedAtOnce) {
  const SigningKeys made = Next({}, {}, "", now_);
  EXPECT_TRUE(signing::ParsePrivateKey(made.current).ok());
  EXPECT_EQ(made.next, "");
  EXPECT_TRUE(Next(made, {}, "", now_) == made);
}

TEST_F(SigningKeysTest, ThePublicHalfVerifiesWhatTheKeySigns) {
  const SigningKeys made = Next({}, {}, "", now_);
  const auto key = signing::ParsePrivateKey(made.current);
  const Published halves = *PublicHalves(made);
  ASSERT_EQ(halves.size(), 1u);
  EXPECT_EQ(halves.begin()->first, key->id() + ".pem");
  const auto half = signing::ParsePublicKeys(halves.begin()->second);
  ASSERT_TRUE(half.ok()) << half.status().message();
  ASSERT_EQ(half->size(), 1u);
  EXPECT_EQ(half->front().id(), key->id());
  const auto signature = key->Sign("record");
  ASSERT_TRUE(signature.ok());
  EXPECT_TRUE(half->front().Verify("record", *signature));
}

TEST_F(SigningKeysTest, ANewOneWaitsUntilAgentsKnowIt) {
  const SigningKeys made = Next({}, {}, "", now_);
  const SigningKeys both = Next(made, *PublicHalves(made), "please", now_);
  EXPECT_EQ(both.current, made.current);
  ASSERT_NE(both.next, "");
  const Published published = *PublicHalves(both);
  EXPECT_EQ(published.size(), 2u);
  EXPECT_TRUE(Next(both, published, "please", now_ + minutes(5) - seconds(1)) == both);
  const SigningKeys after = Next(both, published, "please", now_ + minutes(5));
  EXPECT_EQ(after.current, both.next);
  EXPECT_EQ(after.next, "");
}

// The program ended between writing the Secret and publishing, and came back an hour later.
TEST_F(SigningKeysTest, TheWaitBeginsWhenItIsPublished) {
  const SigningKeys made = Next({}, {}, "", now_);
  const SigningKeys both = Next(made, *PublicHalves(made), "please", now_);
  const SystemTime later = now_ + minutes(60);
  const SigningKeys again = Next(both, *PublicHalves(made), "please", later);
  EXPECT_EQ(again.current, made.current);
  EXPECT_EQ(again.next, both.next);
  EXPECT_EQ(again.next_from, later + minutes(5));
}

TEST_F(SigningKeysTest, WhatCannotBeReadIsNeverReplaced) {
  SigningKeys held;
  held.current = "rubbish";
  const auto next = NextSigningKeys(held, {}, "please", minutes(5), now_);
  EXPECT_NE(next.status().message().find("signing.key cannot be used"), std::string::npos)
      << next.status().message();
}

}  // namespace
}  // namespace aliquot::certificates
