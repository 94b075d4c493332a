// SPDX-License-Identifier: Apache-2.0
#include "certificates/authority.h"

#include <gtest/gtest.h>

namespace aliquot::certificates {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

class AuthorityTest : public testing::Test {
 protected:
  Authority Next(const Authority& held, SystemTime now, const std::string& request = "") const {
    auto next = NextAuthority(held, request, rules_, now);
    EXPECT_TRUE(next.ok()) << next.status().message();
    return next.ok() ? *next : Authority();
  }

  const AuthorityRules rules_{hours(1000), hours(100), hours(24)};
  const SystemTime now_ = std::chrono::system_clock::from_time_t(1800000000);
};

TEST_F(AuthorityTest, IsMadeOnceAndThenStays) {
  const Authority made = Next({}, now_);
  EXPECT_TRUE(CheckAuthority(made.current).ok());
  EXPECT_EQ(ReadValidity(made.current.certificate)->until, now_ + hours(1000));
  EXPECT_TRUE(Next(made, now_) == made);
  EXPECT_EQ(TrustBundle(made), made.current.certificate);
}

TEST_F(AuthorityTest, IsReplacedWhenItsEndIsNear) {
  const Authority made = Next({}, now_);
  // 1000 hours of life, replaced 100 before the end: at 900.
  EXPECT_TRUE(Next(made, now_ + hours(900) - seconds(1)) == made);
  const Authority next = Next(made, now_ + hours(900));
  EXPECT_NE(next.current.certificate, made.current.certificate);
  EXPECT_EQ(next.previous, made.current.certificate);
  EXPECT_EQ(TrustBundle(next), next.current.certificate + made.current.certificate);
  EXPECT_EQ(ChainBehind(next), next.cross);
  EXPECT_TRUE(Next(next, now_ + hours(900)) == next) << "once, not at every look";
}

TEST_F(AuthorityTest, ThePreviousOneIsTrustedUntilItsEnd) {
  const Authority next = Next(Next({}, now_), now_ + hours(900));
  EXPECT_TRUE(Next(next, now_ + hours(1000) - seconds(1)) == next);
  const Authority alone = Next(next, now_ + hours(1000));
  EXPECT_EQ(alone.current.certificate, next.current.certificate);
  EXPECT_EQ(alone.previous, "");
  EXPECT_EQ(alone.cross, "");
}

TEST_F(AuthorityTest, ARequestIsServedOnce) {
  const Authority made = Next({}, now_, "one");
  EXPECT_TRUE(Next(made, now_, "one") == made) << "what stood there at the start is no request";
  const Authority next = Next(made, now_, "two");
  EXPECT_EQ(next.previous, made.current.certificate);
  EXPECT_TRUE(Next(next, now_, "two") == next);
}

TEST_F(AuthorityTest, WhatCannotBeReadIsNeverReplaced) {
  Authority held = Next({}, now_);
  held.current.key = "rubbish";
  EXPECT_EQ(NextAuthority(held, "rotate", rules_, now_).status().message(),
            "ca.key holds no private key in PEM without passphrase");
  held.current.key.clear();
  EXPECT_FALSE(NextAuthority(held, "", rules_, now_ + hours(2000)).ok());
}

// A cluster that slept past the end.
TEST_F(AuthorityTest, OneThatHasEndedIsReplacedAndNoLongerTrusted) {
  const SystemTime late = now_ + hours(5000);
  const Authority next = Next(Next({}, now_), late);
  EXPECT_EQ(ReadValidity(next.current.certificate)->until, late + hours(1000));
  EXPECT_EQ(Next(next, late).previous, "");
}

}  // namespace
}  // namespace aliquot::certificates
