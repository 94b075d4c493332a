// SPDX-License-Identifier: Apache-2.0
#include "agent/grant/limits_of_grant.h"

#include <gtest/gtest.h>

namespace aliquot::agent {
namespace {

GrantRecord Example() {
  GrantRecord record;
  record.identity.key = {"ml", "train-0"};
  record.identity.uid = "u-1";
  record.identity.container = "main";
  record.cards = {{"GPU-a", 3, 20, 3840}, {"GPU-b", 4, 20, 3840}};
  return record;
}

// 3840 MiB = 3840 x 2^20 = 4026531840 bytes.
TEST(LimitsOfGrant, SaysWhoAndHowMuchOfWhichCard) {
  GrantRecord record = Example();
  record.limit = 60;
  record.enforcement = "library";
  quota::LimitsRecord limits;
  ASSERT_TRUE(LimitsOfGrant(record, limits).ok());
  EXPECT_EQ(quota::CheckLimits(&limits, sizeof(limits)), quota::LimitsFault::kNone);
  EXPECT_STREQ(limits.pod_uid, "u-1");
  EXPECT_STREQ(limits.container, "main");
  EXPECT_STREQ(limits.pod_name, "train-0");
  EXPECT_STREQ(limits.pod_namespace, "ml");
  EXPECT_EQ(limits.isolation, quota::Isolation::kLibrary);
  ASSERT_EQ(limits.cards, 2u);
  EXPECT_STREQ(limits.card[1].uuid, "GPU-b");
  EXPECT_EQ(limits.card[1].minor, 4u);
  EXPECT_EQ(limits.card[1].core_percent, 20u);
  EXPECT_EQ(limits.card[1].ceiling_percent, 60u);
  EXPECT_EQ(limits.card[1].memory_bytes, 4026531840u);
}

TEST(LimitsOfGrant, WithoutCeilingTheShareIsTheCeiling) {
  quota::LimitsRecord limits;
  ASSERT_TRUE(LimitsOfGrant(Example(), limits).ok());
  EXPECT_EQ(limits.card[0].ceiling_percent, 20u);
  EXPECT_EQ(limits.isolation, quota::Isolation::kNone) << "nobody holds it";
}

TEST(LimitsOfGrant, WhatTheDriverHoldsTheLibraryDoesNot) {
  GrantRecord record = Example();
  record.enforcement = "driver";
  quota::LimitsRecord limits;
  ASSERT_TRUE(LimitsOfGrant(record, limits).ok());
  EXPECT_EQ(limits.isolation, quota::Isolation::kDriver);
}

TEST(LimitsOfGrant, AWholeCardHasNoMemoryLimit) {
  GrantRecord record = Example();
  record.cards = {{"GPU-a", 3, 100, 15360}};
  quota::LimitsRecord limits;
  ASSERT_TRUE(LimitsOfGrant(record, limits).ok());
  EXPECT_EQ(limits.card[0].memory_bytes, 0u);
  EXPECT_EQ(limits.card[0].ceiling_percent, 100u);
}

// A pod's name has 253 bytes at most; the field holds 255 and a zero byte.
TEST(LimitsOfGrant, LongNamesFitAndLongerOnesAreRefused) {
  GrantRecord record = Example();
  record.identity.key.name = std::string(253, 'n');
  quota::LimitsRecord limits;
  EXPECT_TRUE(LimitsOfGrant(record, limits).ok());
  record.identity.key.name = std::string(256, 'n');
  EXPECT_FALSE(LimitsOfGrant(record, limits).ok());
}

TEST(LimitsOfGrant, NoCardsIsRefused) {
  GrantRecord record = Example();
  record.cards.clear();
  quota::LimitsRecord limits;
  EXPECT_EQ(LimitsOfGrant(record, limits).message(),
            "a limits record holds 1 to 16 cards, and the grant has 0");
}

}  // namespace
}  // namespace aliquot::agent
