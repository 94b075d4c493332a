// SPDX-License-Identifier: Apache-2.0
#include "topology/read_pair_list.h"

#include <gtest/gtest.h>

#include "tests/unit/topology/topology_files.h"

namespace aliquot::topology {
namespace {

std::string Bad(std::string_view rows) {
  return Refusal(ReadPairList("gpu_a,gpu_b,bw_gbps,link\n" + std::string(rows), "t.csv"));
}

TEST(ReadPairList, UnlistedPairsArePcieAtTenGbps) {
  const Result<Description> read = ReadPairList(
      "# a comment\ngpu_a,gpu_b,bw_gbps,link\n1,2,50,DoubleNVLink\n"
      "3,1,12.4,PCIe\n",
      "t.csv");
  ASSERT_TRUE(read.ok()) << read.status().message();
  const auto node = NodeTopology::Create(*read).value();
  // 2-3 is not listed; 12.4 is rounded.
  EXPECT_EQ(CountPairs(*node), (PairCounts{{"NV2@50", 1}, {"SYS@10", 1}, {"SYS@12", 1}}));
  EXPECT_EQ(node->link(0, 2).gbps, 12);
}

TEST(ReadPairList, ARowMayBeRepeatedTheOtherWay) {
  EXPECT_TRUE(
      ReadPairList("gpu_a,gpu_b,bw_gbps,link\n1,2,25,SingleNVLink\n2,1,25,SingleNVLink\n", "t.csv")
          .ok());
  EXPECT_EQ(Bad("1,2,25,SingleNVLink\n2,1,50,SingleNVLink\n"),
            "t.csv, line 3: cards 2 and 1 have another link further up; a link is the same both "
            "ways, so keep one of the rows");
}

TEST(ReadPairList, RefusesWrongColumns) {
  EXPECT_EQ(Refusal(ReadPairList("a,b,bw\n1,2,3\n", "t.csv")),
            "t.csv, line 1: the columns are \"a,b,bw\"; begin with the line "
            "gpu_a,gpu_b,bw_gbps,link");
  EXPECT_EQ(Bad("1,2,25\n"), "t.csv, line 2: has 3 columns; give gpu_a,gpu_b,bw_gbps,link");
}

TEST(ReadPairList, RefusesBadCards) {
  EXPECT_EQ(Bad("0,2,25,PCIe\n"), "t.csv, line 2: gpu_a is \"0\"; cards are numbered from 1 to 64");
  EXPECT_EQ(Bad("1,65,25,PCIe\n"),
            "t.csv, line 2: gpu_b is \"65\"; cards are numbered from 1 to 64");
  EXPECT_EQ(Bad("-1,2,25,PCIe\n"),
            "t.csv, line 2: gpu_a is \"-1\"; cards are numbered from 1 to 64");
  EXPECT_EQ(Bad("3,3,25,PCIe\n"), "t.csv, line 2: links card 3 to itself; remove the row");
}

TEST(ReadPairList, RefusesBadFigures) {
  for (const char* figure : {"-25", "0", "0.4", "fast", "", "1e3", "10001", "nan"}) {
    EXPECT_EQ(
        Bad("1,2," + std::string(figure) + ",PCIe\n"),
        "t.csv, line 2: bw_gbps is \"" + std::string(figure) + "\"; give GB/s one way, 1 to 10000");
  }
}

TEST(ReadPairList, RefusesAnUnknownLink) {
  EXPECT_EQ(Bad("1,2,25,TripleNVLink\n"),
            "t.csv, line 2: link is \"TripleNVLink\"; use DoubleNVLink, SingleNVLink or PCIe");
}

TEST(ReadPairList, RefusesAListWithoutPairs) {
  EXPECT_EQ(Bad("\n"),
            "t.csv, line 1: the text ends here without a pair of cards; give rows of "
            "gpu_a,gpu_b,bw_gbps,link");
}

}  // namespace
}  // namespace aliquot::topology
