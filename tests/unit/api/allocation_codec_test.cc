// SPDX-License-Identifier: Apache-2.0
#include "api/allocation_codec.h"

#include <gtest/gtest.h>

namespace aliquot::api {
namespace {

constexpr char kRecord[] =
    R"({"v":1,"uid":"u-1","node":"n1","containers":{"prep":{"cards":[{"uuid":"GPU-a","core":100,"mib":81920},)"
    R"({"uuid":"GPU-b","core":100,"mib":81920}],"isolation":"auto"},)"
    R"("main":{"cards":[{"uuid":"GPU-a","core":20,"mib":3840}],"limit":60,"isolation":"library"}}})";

std::string Refusal(const std::string& json) { return ParseAllocation(json).status().message(); }

std::string RecordWith(const std::string& containers) {
  return R"({"v":1,"uid":"u-1","node":"n1","containers":{)" + containers + "}}";
}

TEST(ParseAllocation, ReadsContainersInTheirOrder) {
  const auto allocation = ParseAllocation(kRecord);
  ASSERT_TRUE(allocation.ok()) << allocation.status().ToString();
  EXPECT_EQ(allocation->uid, "u-1");
  EXPECT_EQ(allocation->node, "n1");
  ASSERT_EQ(allocation->containers.size(), 2u);
  EXPECT_EQ(allocation->containers[0].name, "prep");
  EXPECT_EQ(allocation->containers[0].limit, 0);
  const model::AllocatedContainer& main = allocation->containers[1];
  EXPECT_EQ(main.cards[0].uuid, "GPU-a");
  EXPECT_EQ(main.cards[0].core, 20);
  EXPECT_EQ(main.cards[0].mib, 3840);
  EXPECT_EQ(main.limit, 60);
  EXPECT_EQ(main.isolation, "library");
}

TEST(FormatAllocation, WritesTheSameBytesItRead) {
  EXPECT_EQ(FormatAllocation(*ParseAllocation(kRecord)), kRecord);
}

TEST(ParseAllocation, UnknownKeysAreIgnoredAndIsolationDefaultsToAuto) {
  const auto allocation = ParseAllocation(
      RecordWith(R"("a":{"cards":[{"uuid":"GPU-a","core":1,"mib":0,"x":1}],"y":{}})"));
  ASSERT_TRUE(allocation.ok()) << allocation.status().ToString();
  EXPECT_EQ(allocation->containers[0].isolation, "auto");
}

TEST(ParseAllocation, RefusalsNameFieldValueAndRemedy) {
  EXPECT_EQ(Refusal(R"({"v":2,"uid":"u","node":"n","containers":{}})"),
            "the allocation: v is 2; this version reads 1, so upgrade the reader");
  EXPECT_EQ(Refusal(R"({"v":1,"node":"n","containers":{}})"),
            "the allocation: uid is missing; the record must name it");
  EXPECT_EQ(Refusal(R"({"v":1,"uid":"u","node":"","containers":{}})"),
            "the allocation: node is empty; the record must name it");
  EXPECT_EQ(
      Refusal(RecordWith("")),
      "the allocation: containers is empty; the record must name the containers that hold cards");
  EXPECT_EQ(Refusal(RecordWith(R"("a":{"cards":[]})")),
            "the allocation: containers.a.cards is empty; the record must name the cards");
  EXPECT_EQ(Refusal(RecordWith(R"("a":{"cards":[{"uuid":"GPU-a","core":101,"mib":1}]})")),
            "the allocation: containers.a.cards[0].core is 101; use 1 to 100");
  EXPECT_EQ(Refusal(RecordWith(R"("a":{"cards":[{"uuid":"GPU-a","core":1,"mib":-1}]})")),
            "the allocation: containers.a.cards[0].mib is -1; use 0 to 4294967296");
  EXPECT_EQ(Refusal(RecordWith(R"("a":{"cards":[{"uuid":"GPU-a","core":1}]})")),
            "the allocation: containers.a.cards[0].mib is missing; the record must name it");
  EXPECT_EQ(Refusal(RecordWith(R"("a":{"cards":[{"uuid":"GPU-a","core":1.5,"mib":1}]})")),
            "the allocation: containers.a.cards[0].core is a number; it must be a whole number of "
            "64 bits");
  EXPECT_EQ(Refusal(RecordWith(R"("a":{"cards":[{"uuid":"GPU-a","core":1,"mib":1}],"limit":0})")),
            "the allocation: containers.a.limit is 0; use 1 to 100");
}

TEST(ParseAllocation, AContainerOrCardNamedTwiceIsDamage) {
  EXPECT_EQ(Refusal(RecordWith(R"("a":{"cards":[{"uuid":"GPU-a","core":1,"mib":1}]},)"
                               R"("a":{"cards":[{"uuid":"GPU-b","core":1,"mib":1}]})")),
            "the allocation: containers.a appears twice; name each container once");
  EXPECT_EQ(
      Refusal(RecordWith(
          R"("a":{"cards":[{"uuid":"GPU-a","core":1,"mib":1},{"uuid":"GPU-a","core":1,"mib":1}]})")),
      "the allocation: containers.a.cards[1].uuid is GPU-a, which an earlier card of the container "
      "has; name "
      "each once");
}

TEST(ParseAllocation, EveryTruncationIsRefused) {
  const std::string whole = kRecord;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(ParseAllocation(whole.substr(0, length)).ok()) << length;
  }
}

}  // namespace
}  // namespace aliquot::api
