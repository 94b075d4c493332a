// SPDX-License-Identifier: Apache-2.0
#include "agent/health/health_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace aliquot::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

Machine OneCard() {
  Machine machine;
  machine.cards.emplace_back();
  machine.cards[0].card.uuid = "GPU-a";
  return machine;
}

// A card with XID 119, which needs a reset, and XID 94, which passes.
HealthBook MarkedBook() {
  HealthBook book;
  book.Apply(OneCard(), SteadyTime());
  book.Apply({{GpuEvent::Kind::kXid, "GPU-a", 119}, {GpuEvent::Kind::kXid, "GPU-a", 94}},
             SteadyTime());
  return book;
}

TEST(HealthRecord, HoldsWhatNeedsAReset) {
  EXPECT_EQ(FormatHealthRecord(MarkedBook(), "boot-1/77"),
            R"({"incarnation":"boot-1/77","needReset":[["GPU-a",119]],"v":1})");
  EXPECT_EQ(FormatHealthRecord(HealthBook(), "x"), R"({"incarnation":"x","needReset":[],"v":1})");
}

TEST(HealthRecord, AnAgentStartedAgainKnowsWhatNeedsAReset) {
  HealthBook book;
  const std::string record = FormatHealthRecord(MarkedBook(), "boot-1/77");
  ASSERT_TRUE(RestoreHealth(record, "boot-1/77", SteadyTime(), book).ok());
  book.Apply(OneCard(), SteadyTime());
  book.Apply({CardCheck{"GPU-a"}}, SteadyTime() + std::chrono::hours(1));
  EXPECT_EQ(book.WordOf("GPU-a"), "xid-119");
  EXPECT_THAT(book.TakeNews().changes, IsEmpty());  // the pods have been told by the agent before
  EXPECT_EQ(FormatHealthRecord(book, "boot-1/77"), record);
}

TEST(HealthRecord, ADriverLoadedSinceHasResetTheCards) {
  HealthBook book;
  ASSERT_TRUE(
      RestoreHealth(FormatHealthRecord(MarkedBook(), "boot-1/77"), "boot-1/78", SteadyTime(), book)
          .ok());
  EXPECT_EQ(book.WordOf("GPU-a"), "ok");
}

TEST(HealthRecord, WhatCannotBeReadMarksNothing) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"", "is not of version 1"},
      {"[]", "is not of version 1"},
      {R"({"v":2,"incarnation":"i","needReset":[]})", "is not of version 1"},
      {R"({"v":1,"needReset":[]})", "is not of version 1"},
      {R"({"v":1,"incarnation":"i","needReset":[["GPU-a",119],["GPU-b"]]})",
       "holds an entry that is not [UUID, XID]"},
      {R"({"v":1,"incarnation":"i","needReset":[["GPU a",119]]})",
       "holds an entry that is not [UUID, XID]"},
      {R"({"v":1,"incarnation":"i","needReset":[["GPU-a",-1]]})",
       "holds an entry that is not [UUID, XID]"},
      {std::string(1000, '['), "is not of version 1"},
      {std::string(kMaxHealthRecordBytes + 1, ' '), "has 65537 bytes, too many"},
  };
  for (const auto& [record, problem] : wrong) {
    HealthBook book;
    const Status status = RestoreHealth(record, "i", SteadyTime(), book);
    EXPECT_THAT(status.message(), HasSubstr(problem)) << record.substr(0, 60);
    EXPECT_THAT(book.Cards(), IsEmpty());
  }
}

}  // namespace
}  // namespace aliquot::agent
