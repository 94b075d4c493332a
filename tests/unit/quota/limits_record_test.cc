// SPDX-License-Identifier: Apache-2.0
#include "quota/limits_record.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "quota/checksum.h"

namespace aliquot::quota {
namespace {

LimitsRecord OneCard() {
  LimitsRecord record;
  InitialiseLimits(record);
  record.cards = 1;
  record.isolation = Isolation::kLibrary;
  EXPECT_TRUE(SetText(record.pod_uid, sizeof record.pod_uid, "uid-1", 5));
  EXPECT_TRUE(SetText(record.container, sizeof record.container, "main", 4));
  EXPECT_TRUE(SetText(record.card[0].uuid, sizeof record.card[0].uuid, "GPU-1", 5));
  record.card[0].core_percent = 20;
  record.card[0].ceiling_percent = 100;
  record.card[0].memory_bytes = std::uint64_t{3840} << 20;
  SealLimits(record);
  return record;
}

TEST(Checksum, IsFnv1aOf64Bits) {
  // Vectors of the algorithm's authors: "" and "foobar".
  EXPECT_EQ(Checksum("", 0), 0xcbf29ce484222325U);
  EXPECT_EQ(Checksum("foobar", 6), 0x85944171f73967e8U);
}

TEST(LimitsRecord, ASealedRecordIsReadable) {
  const LimitsRecord record = OneCard();
  EXPECT_EQ(CheckLimits(&record, sizeof record), LimitsFault::kNone);
}

TEST(LimitsRecord, IsReadableAtAnyAlignment) {
  const LimitsRecord record = OneCard();
  std::string bytes(sizeof record + 1, '\0');
  std::memcpy(bytes.data() + 1, &record, sizeof record);
  EXPECT_EQ(CheckLimits(bytes.data() + 1, sizeof record), LimitsFault::kNone);
}

TEST(LimitsRecord, EachByteUnderTheSealIsHeld) {
  const LimitsRecord good = OneCard();
  for (std::size_t at = 24; at < offsetof(LimitsRecord, live); ++at) {
    LimitsRecord record = good;
    reinterpret_cast<unsigned char*>(&record)[at] ^= 0x40;
    EXPECT_NE(CheckLimits(&record, sizeof record), LimitsFault::kNone) << "byte " << at;
  }
}

TEST(LimitsRecord, TheLiveValuesAreOutsideTheSeal) {
  LimitsRecord record = OneCard();
  const LiveCard now{80, 0, 5, 0, 0};
  WriteLive(record.live, &now, 1);
  EXPECT_EQ(CheckLimits(&record, sizeof record), LimitsFault::kNone);
}

TEST(LimitsRecord, ARecordCutShortIsRefused) {
  const LimitsRecord record = OneCard();
  for (std::size_t size = 0; size < sizeof record; ++size) {
    EXPECT_EQ(CheckLimits(&record, size), LimitsFault::kTooShort);
  }
}

TEST(LimitsRecord, AnotherMajorVersionIsRefusedAndAHigherMinorOneIsRead) {
  LimitsRecord record = OneCard();
  record.minor = 9;
  EXPECT_EQ(CheckLimits(&record, sizeof record), LimitsFault::kNone);
  record.major = 2;
  EXPECT_EQ(CheckLimits(&record, sizeof record), LimitsFault::kMajor);
}

TEST(LimitsRecord, ALongerRecordOfAHigherMinorVersionIsRead) {
  LimitsRecord record = OneCard();
  record.minor = 1;
  record.size = sizeof record + 64;
  std::string bytes(record.size, '\7');
  std::memcpy(bytes.data(), &record, sizeof record);
  EXPECT_EQ(CheckLimits(bytes.data(), bytes.size()), LimitsFault::kNone);
  EXPECT_EQ(CheckLimits(bytes.data(), bytes.size() - 1), LimitsFault::kSize);
}

TEST(LimitsRecord, SharesOutOfRangeAreRefused) {
  struct Row {
    std::uint32_t core, ceiling;
    LimitsFault fault;
  };
  for (const Row& row : {Row{0, 100, LimitsFault::kNumber}, Row{1, 1, LimitsFault::kNone},
                         Row{100, 100, LimitsFault::kNone}, Row{101, 101, LimitsFault::kNumber},
                         Row{50, 49, LimitsFault::kNumber}}) {
    LimitsRecord record = OneCard();
    record.card[0].core_percent = row.core;
    record.card[0].ceiling_percent = row.ceiling;
    SealLimits(record);
    EXPECT_EQ(CheckLimits(&record, sizeof record), row.fault) << row.core << ' ' << row.ceiling;
  }
}

TEST(LimitsRecord, NoCardAndTooManyAreRefused) {
  for (const std::uint32_t cards : {0U, 17U, 0xffffffffU}) {
    LimitsRecord record = OneCard();
    record.cards = cards;
    SealLimits(record);
    EXPECT_EQ(CheckLimits(&record, sizeof record), LimitsFault::kCardCount);
  }
}

TEST(LimitsRecord, ATextThatFillsItsFieldIsRefused) {
  LimitsRecord record = OneCard();
  const std::string uid(sizeof record.pod_uid, 'x');
  EXPECT_FALSE(SetText(record.pod_uid, sizeof record.pod_uid, uid.data(), uid.size()));
  std::memset(record.pod_uid, 'x', sizeof record.pod_uid);
  SealLimits(record);
  EXPECT_EQ(CheckLimits(&record, sizeof record), LimitsFault::kText);
}

}  // namespace
}  // namespace aliquot::quota
