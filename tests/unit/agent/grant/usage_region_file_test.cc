// SPDX-License-Identifier: Apache-2.0
#include "agent/grant/usage_region_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "quota/usage_region.h"
#include "tests/unit/agent/grant/grant_fixture.h"

namespace aliquot::agent {
namespace {

class UsageRegionFile : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(files_.MakeDirectory(layout_.Usage(), 0700), 0); }

  Status Prepare(const ContainerIdentity& owner) {
    return PrepareUsageRegion(files_, layout_, "g1", owner);
  }
  // A byte that no header has, to know this very file by.
  void Mark() {
    std::fstream file(region_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(8192);
    file.put('M');
  }
  bool Marked() { return ReadAll(region_).at(8192) == 'M'; }
  void ExpectWhole() {
    const std::string bytes = ReadAll(region_);
    EXPECT_EQ(quota::CheckUsage(bytes.data(), bytes.size()), quota::UsageFault::kNone);
    EXPECT_EQ(bytes.size(), sizeof(quota::UsageRegion));
  }

  TemporaryDirectory directory_;
  FileSystem files_;
  StateLayout layout_{directory_.path()};
  const std::string region_ = layout_.UsageRegion("g1");
  const ContainerIdentity pod_ = Share("u-1", "GPU-0", 20, 1024);
};

TEST_F(UsageRegionFile, AFreshOneIsWholeAndWritableByEveryUserOfTheContainerOnly) {
  ASSERT_TRUE(Prepare(pod_).ok());
  ExpectWhole();
  struct stat status {};
  ASSERT_EQ(::stat(region_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0666u);
  EXPECT_GE(status.st_blocks * 512, static_cast<long>(sizeof(quota::UsageRegion)))
      << "no hole that a full file system could not fill";
  ASSERT_EQ(::stat(layout_.UsageDirectory("g1").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0700u);
}

TEST_F(UsageRegionFile, ARestartOfTheContainerKeepsItsCounters) {
  ASSERT_TRUE(Prepare(pod_).ok());
  Mark();
  ASSERT_EQ(::chmod(region_.c_str(), 0), 0);  // root in the container can do that
  ASSERT_TRUE(Prepare(pod_).ok());
  EXPECT_TRUE(Marked());
  struct stat status {};
  ASSERT_EQ(::stat(region_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0666u);
}

TEST_F(UsageRegionFile, AnotherPodOrContainerGetsAFreshOne) {
  ASSERT_TRUE(Prepare(pod_).ok());
  Mark();
  ContainerIdentity other = pod_;
  other.uid = "u-2";
  ASSERT_TRUE(Prepare(other).ok());
  EXPECT_FALSE(Marked());
  Mark();
  other.container = "second";
  ASSERT_TRUE(Prepare(other).ok());
  EXPECT_FALSE(Marked());
}

TEST_F(UsageRegionFile, ATruncatedOneIsReplaced) {
  ASSERT_TRUE(Prepare(pod_).ok());
  ASSERT_EQ(::truncate(region_.c_str(), 100), 0);
  ASSERT_TRUE(Prepare(pod_).ok());
  ExpectWhole();
}

TEST_F(UsageRegionFile, OneWithoutItsHeaderIsReplaced) {
  ASSERT_TRUE(Prepare(pod_).ok());
  WriteAll(region_, std::string(sizeof(quota::UsageRegion), 'x'));
  ASSERT_TRUE(Prepare(pod_).ok());
  ExpectWhole();
}

TEST_F(UsageRegionFile, ALinkAFifoAndADirectoryInItsPlaceAreReplaced) {
  ASSERT_TRUE(Prepare(pod_).ok());
  WriteAll(directory_ / "victim", "untouched");
  ASSERT_EQ(files_.RemoveFile(region_), 0);
  ASSERT_EQ(files_.MakeLink(directory_ / "victim", region_), 0);
  ASSERT_TRUE(Prepare(pod_).ok());
  ExpectWhole();
  EXPECT_EQ(ReadAll(directory_ / "victim"), "untouched");

  ASSERT_EQ(files_.RemoveFile(region_), 0);
  ASSERT_EQ(::mkfifo(region_.c_str(), 0666), 0);
  ASSERT_TRUE(Prepare(pod_).ok());
  ExpectWhole();

  ASSERT_EQ(files_.RemoveFile(region_), 0);
  ASSERT_EQ(files_.MakeDirectories(region_ + "/deeper", 0755), 0);
  ASSERT_TRUE(Prepare(pod_).ok());
  ExpectWhole();
}

TEST_F(UsageRegionFile, AHardLinkToItMakesAFreshOne) {
  ASSERT_TRUE(Prepare(pod_).ok());
  Mark();
  ASSERT_EQ(files_.Link(region_, directory_ / "second-name"), 0);
  ASSERT_TRUE(Prepare(pod_).ok());
  EXPECT_FALSE(Marked());
}

// A file where the directory belongs, and the leftovers of a stop half way.
TEST_F(UsageRegionFile, WhatIsInTheWayIsRemoved) {
  WriteAll(layout_.UsageDirectory("g1"), "a file");
  ASSERT_TRUE(Prepare(pod_).ok());
  ExpectWhole();
  WriteAll(region_ + ".new", "half");
  ASSERT_EQ(::truncate(region_.c_str(), 0), 0);
  ASSERT_TRUE(Prepare(pod_).ok());
  ExpectWhole();
  EXPECT_EQ(Names(layout_.UsageDirectory("g1")), (std::vector<std::string>{"owner", "region"}));
}

}  // namespace
}  // namespace aliquot::agent
