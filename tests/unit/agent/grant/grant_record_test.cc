// SPDX-License-Identifier: Apache-2.0
#include "agent/grant/grant_record.h"

#include <gtest/gtest.h>

#include "agent/grant/grant_name.h"

namespace aliquot::agent {
namespace {

GrantRecord Example() {
  GrantRecord record;
  record.device_ids = {"c0", "c1"};
  record.name = GrantName(record.device_ids);
  ContainerIdentity& who = record.identity;
  who.key = {"ml", "train-0"};
  who.uid = "u-1";
  who.container = "main";
  who.kind = model::ContainerKind::kSidecar;
  who.index = 2;
  who.core = 2;
  who.memory_units = 4;
  who.allocation = R"({"v":1,"uid":"u-1"})";
  who.signature = "k1:AAAA";
  record.cards = {{"GPU-a", 3, 2, 1024}};
  record.limit = 60;
  record.isolation = "library";
  record.driver = "/var/lib/aliquot/driver/535.104.05";
  record.library = "0123456789abcdef";
  return record;
}

std::string Problem(const std::string& text) { return ParseGrantRecord(text).status().message(); }

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(GrantRecord, IsReadAsItWasWritten) {
  const GrantRecord written = Example();
  const auto read = ParseGrantRecord(FormatGrantRecord(written));
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(read->name, written.name);
  EXPECT_EQ(read->device_ids, written.device_ids);
  EXPECT_EQ(read->identity.key.ToString(), "ml/train-0");
  EXPECT_EQ(read->identity.uid, "u-1");
  EXPECT_EQ(read->identity.container, "main");
  EXPECT_EQ(read->identity.kind, model::ContainerKind::kSidecar);
  EXPECT_EQ(read->identity.index, 2);
  EXPECT_EQ(read->identity.core, 2);
  EXPECT_EQ(read->identity.memory_units, 4);
  EXPECT_FALSE(read->identity.whole);
  EXPECT_EQ(read->identity.allocation, written.identity.allocation);
  EXPECT_EQ(read->identity.signature, "k1:AAAA");
  ASSERT_EQ(read->cards.size(), 1u);
  EXPECT_EQ(read->cards[0].uuid, "GPU-a");
  EXPECT_EQ(read->cards[0].minor, 3);
  EXPECT_EQ(read->cards[0].core, 2);
  EXPECT_EQ(read->cards[0].mib, 1024);
  EXPECT_EQ(read->limit, 60);
  EXPECT_EQ(read->isolation, "library");
  EXPECT_EQ(read->driver, written.driver);
  EXPECT_EQ(read->library, written.library);
}

TEST(GrantRecord, EqualGrantsGiveEqualBytes) {
  EXPECT_EQ(FormatGrantRecord(Example()), FormatGrantRecord(Example()));
}

TEST(GrantRecord, AnyChangedValueBreaksTheChecksum) {
  const std::string text = FormatGrantRecord(Example());
  EXPECT_EQ(Problem(Replaced(text, "GPU-a", "GPU-b")), "does not have the checksum that it names");
}

TEST(GrantRecord, AnotherVersionIsRefusedByItsNumber) {
  EXPECT_EQ(Problem(Replaced(FormatGrantRecord(Example()), "{\"v\":1,", "{\"v\":2,")),
            "is of version 2, and this agent knows version 1");
}

TEST(GrantRecord, HalfAFileIsRefused) {
  const std::string text = FormatGrantRecord(Example());
  EXPECT_EQ(Problem(text.substr(0, text.size() / 2)), "is not JSON");
  EXPECT_EQ(Problem(""), "is not JSON");
}

TEST(GrantRecord, AMissingFieldIsRefused) {
  EXPECT_EQ(Problem("{\"v\":1}"), "lacks a field of a grant record, or has one of another type");
  EXPECT_EQ(Problem("[]"), "lacks a field of a grant record, or has one of another type");
}

// The checksum holds, the name is not that of the IDs.
TEST(GrantRecord, AnotherGrantsNameIsRefused) {
  GrantRecord record = Example();
  record.name = GrantName({"c7"});
  EXPECT_EQ(Problem(FormatGrantRecord(record)), "has a name that is not that of its device IDs");
}

// Numbers that a share cannot be, under a checksum that holds.
TEST(GrantRecord, ANumberOutOfRangeIsRefused) {
  GrantRecord record = Example();
  record.cards[0].core = 101;
  EXPECT_EQ(Problem(FormatGrantRecord(record)),
            "lacks a field of a grant record, or has one of another type");
  record = Example();
  record.cards[0].mib = -1;
  EXPECT_FALSE(ParseGrantRecord(FormatGrantRecord(record)).ok());
  EXPECT_FALSE(ParseGrantRecord("{\"v\":1e300}").ok());
}

TEST(GrantRecord, IsRefusedUnreadWhenTooLong) {
  EXPECT_EQ(Problem(std::string(kMaxGrantRecordBytes + 1, ' ')),
            "is longer than a grant record can be");
}

}  // namespace
}  // namespace aliquot::agent
