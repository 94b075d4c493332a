// SPDX-License-Identifier: Apache-2.0
#include "agent/identity/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace aliquot::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kCore[] = "tencent.com/vcuda-core";

std::string Recorded() {
  std::ifstream file(std::string(ALIQUOT_SOURCE_DIR) +
                     "/tests/data/recorded/kubelet/kubelet_internal_checkpoint.json");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// A checkpoint whose only entry has these DeviceIDs.
std::string WithIds(const std::string& ids) {
  return R"({"Data":{"PodDeviceEntries":[{"PodUID":"u1","ContainerName":"a",)"
         R"("ResourceName":"tencent.com/vcuda-core","DeviceIDs":)" +
         ids + R"(,"AllocResp":""}],"RegisteredDevices":{}},"Checksum":1})";
}

std::string MessageFor(const std::string& json) {
  const auto checkpoint = ParseCheckpoint(json, kCore);
  return checkpoint.ok() ? "parsed" : checkpoint.status().message();
}

TEST(Checkpoint, ReadsTheEntriesOfOurResourceThatAKubeletWrote) {
  const auto checkpoint = ParseCheckpoint(Recorded(), kCore);
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.status().message();
  ASSERT_EQ(checkpoint->entries.size(), 2u);
  EXPECT_EQ(checkpoint->entries[0].uid, "e6cdec21-641c-42e0-884f-69af37994270");
  EXPECT_EQ(checkpoint->entries[0].container, "a");
  // Written as 002, 000, 001.
  EXPECT_THAT(checkpoint->entries[0].ids, ElementsAre("core-000", "core-001", "core-002"));
  EXPECT_EQ(checkpoint->entries[1].container, "b");
  EXPECT_THAT(checkpoint->entries[1].ids, ElementsAre("core-003", "core-004"));
}

TEST(Checkpoint, GathersIdsOfSeveralNumaNodes) {
  const auto checkpoint =
      ParseCheckpoint(WithIds(R"({"1":["c9"],"-1":["c2"],"0":["c10","c9"]})"), kCore);
  ASSERT_TRUE(checkpoint.ok());
  EXPECT_THAT(checkpoint->entries.at(0).ids, ElementsAre("c10", "c2", "c9"));
}

TEST(Checkpoint, ReadsIdsWrittenAsOneListBeforeKubelet120) {
  const auto checkpoint = ParseCheckpoint(WithIds(R"(["c2","c1"])"), kCore);
  ASSERT_TRUE(checkpoint.ok());
  EXPECT_THAT(checkpoint->entries.at(0).ids, ElementsAre("c1", "c2"));
}

TEST(Checkpoint, ReadsEntriesAtTheTopAsTheOldestKubeletsWroteThem) {
  const auto checkpoint = ParseCheckpoint(
      R"({"PodDeviceEntries":[{"PodUID":"u1","ContainerName":"a",
          "ResourceName":"tencent.com/vcuda-core","DeviceIDs":["c1"]}]})",
      kCore);
  ASSERT_TRUE(checkpoint.ok());
  EXPECT_EQ(checkpoint->entries.size(), 1u);
}

TEST(Checkpoint, IsEmptyBeforeTheFirstAllocation) {
  const auto checkpoint = ParseCheckpoint(
      R"({"Data":{"PodDeviceEntries":null,"RegisteredDevices":{}},"Checksum":1})", kCore);
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.status().message();
  EXPECT_THAT(checkpoint->entries, IsEmpty());
}

TEST(Checkpoint, AnEntryOfAnotherResourceMayHaveAnyForm) {
  const auto checkpoint = ParseCheckpoint(
      R"({"Data":{"PodDeviceEntries":[{"ResourceName":"other.org/x","DeviceIDs":7}]}})", kCore);
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.status().message();
  EXPECT_THAT(checkpoint->entries, IsEmpty());
}

TEST(Checkpoint, RefusesWhatNoKubeletWrote) {
  EXPECT_THAT(MessageFor(""), HasSubstr("is empty"));
  EXPECT_THAT(MessageFor("\x01\x02garbage"), HasSubstr("is not JSON"));
  EXPECT_THAT(MessageFor("[]"), HasSubstr("is a list; it must be an object"));
  EXPECT_THAT(MessageFor(R"({"Pods":[]})"), HasSubstr("neither Data nor PodDeviceEntries"));
  EXPECT_THAT(MessageFor(WithIds("7")),
              HasSubstr("Data.PodDeviceEntries[0].DeviceIDs is a number"));
  EXPECT_THAT(MessageFor(R"({"Data":{"PodDeviceEntries":[{"ContainerName":"a",)"
                         R"("ResourceName":"tencent.com/vcuda-core","DeviceIDs":["c1"]}]}})"),
              HasSubstr("Data.PodDeviceEntries[0].PodUID is missing"));
}

TEST(Checkpoint, IsNeverReadInPart) {
  const std::string whole = Recorded();
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    EXPECT_NE(MessageFor(whole.substr(0, size)), "parsed") << "cut to " << size << " bytes";
  }
}

TEST(Checkpoint, RefusesAFileThatNoKubeletWouldWrite) {
  const std::string large(kMaxCheckpointBytes + 1, ' ');
  EXPECT_THAT(MessageFor(large), HasSubstr("is larger than 64 MiB"));
}

TEST(Checkpoint, FindsEntriesByTheWholeSetOfIds) {
  Checkpoint checkpoint;
  checkpoint.entries = {{"u1", "a", {"c1", "c2"}}, {"u2", "b", {"c1"}}, {"u3", "c", {"c1", "c2"}}};
  const auto found = checkpoint.WithIds({"c1", "c2"});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0]->uid, "u1");
  EXPECT_EQ(found[1]->uid, "u3");
  EXPECT_THAT(checkpoint.WithIds({"c2"}), IsEmpty());
}

}  // namespace
}  // namespace aliquot::agent
