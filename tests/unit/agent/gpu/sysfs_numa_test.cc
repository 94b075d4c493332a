// SPDX-License-Identifier: Apache-2.0
#include "agent/gpu/sysfs_numa.h"

#include <gtest/gtest.h>

#include "tests/unit/agent/gpu/fake_sysfs.h"
#include "tests/unit/agent/gpu/profile_fixture.h"

namespace aliquot::agent {
namespace {

TEST(SysfsNumaTest, CpuListHasNumbersAndRanges) {
  EXPECT_EQ(ParseCpuList("0,3-5,11\n"), (std::set<int>{0, 3, 4, 5, 11}));
  EXPECT_EQ(ParseCpuList(""), std::set<int>());
}

TEST(SysfsNumaTest, OtherTextIsNoCpuList) {
  for (const char* text : {"a", "1-", "-1", "5-3", "0,,1", "99999999", "0-4000000000"}) {
    EXPECT_FALSE(ParseCpuList(text)) << text;
  }
}

TEST(SysfsNumaTest, NodesWithoutCpusAreLeftOut) {
  const ScratchDirectory scratch;
  FakeSysfs sysfs(scratch.File("sys"));
  sysfs.AddNode(0, "0-1");
  sysfs.AddNode(2, "");
  const NumaNodes nodes = ReadNumaNodes(sysfs.root());
  ASSERT_EQ(nodes.cpus.size(), 1u);
  EXPECT_EQ(nodes.cpus.at(0), (std::set<int>{0, 1}));
}

TEST(SysfsNumaTest, WithoutSysfsThereAreNoNodes) {
  EXPECT_TRUE(ReadNumaNodes("/nonexistent").cpus.empty());
}

TEST(SysfsNumaTest, CpusOfOneNodeNameIt) {
  const NumaNodes nodes{{{0, {0, 1}}, {1, {2, 3}}}};
  EXPECT_EQ(NodeOfCpus(nodes, {2}), 1);
  EXPECT_EQ(NodeOfCpus(nodes, {0, 1}), 0);
}

TEST(SysfsNumaTest, CpusOfSeveralNodesOrOfNoneNameNoNode) {
  const NumaNodes nodes{{{0, {0, 1}}, {1, {2, 3}}}};
  EXPECT_EQ(NodeOfCpus(nodes, {1, 2}), -1);
  EXPECT_EQ(NodeOfCpus(nodes, {7}), -1);
  EXPECT_EQ(NodeOfCpus(nodes, {}), -1);
}

}  // namespace
}  // namespace aliquot::agent
