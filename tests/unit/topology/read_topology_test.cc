// SPDX-License-Identifier: Apache-2.0
#include "topology/read_topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/topology/topology_files.h"

namespace aliquot::topology {
namespace {

TEST(ReadTopology, FindsTheFormatByTheText) {
  EXPECT_EQ(ReadTopology("# x\n     GPU0 GPU1\nGPU0 X NV1\nGPU1 NV1 X\n", "f")->format,
            "nvidia-smi matrix");
  EXPECT_EQ(ReadTopology("     GPU0 GPU1\nGPU0 XNV1\nGPU1 NV1X\n", "f")->format,
            "nvidia-smi matrix");
  // One card has no link; its NUMA node is a figure.
  EXPECT_EQ(ReadTopology("\tGPU0\tCPU Affinity\tNUMA Affinity\nGPU0\t X \t\t\t0\n", "f")->format,
            "nvidia-smi matrix");
  EXPECT_EQ(
      ReadTopology("<?xml version=\"1.0\"?>\n<system><cpu numaid=\"0\"/></system>", "f")->format,
      "NCCL topology");
  EXPECT_EQ(ReadTopology("# x\ngpu_a,gpu_b,bw_gbps,link\n1,2,25,PCIe\n", "f")->format, "pair list");
  EXPECT_EQ(ReadTopology("a,b,gbps\n0,1,25\n", "f")->format, "measured GB/s");
  EXPECT_EQ(ReadTopology(",GPU0,GPU1\nGPU0,X,25\nGPU1,25,X\n", "f")->format, "measured GB/s");
  EXPECT_EQ(ReadTopology("GPU0 GPU1\nGPU0 X 25\nGPU1 25 X\n", "f")->format, "measured GB/s");
}

TEST(ReadTopology, AMeasuredTableAloneSaysThatClassesAreUnknown) {
  const Description read = ReadTopology("a,b,gbps\n0,1,25\n", "f").value();
  const auto node = NodeTopology::Create(read).value();
  EXPECT_EQ(CountPairs(*node), (PairCounts{{"SYS@25", 1}}));
  EXPECT_THAT(read.notes,
              ::testing::ElementsAre("the file names no link classes; all are taken as SYS"));
}

TEST(ReadTopology, AMatrixWithAMeasuredTableOfAnotherNodeIsRefused) {
  EXPECT_EQ(Refusal(ReadTopology("     GPU0 GPU1\nGPU0 X NV1\nGPU1 NV1 X\n"
                                 "# bidirectional\n# D\\D 0 1 2\n# 0 1 2 3\n# 1 2 1 3\n# 2 3 3 1\n",
                                 "f")),
            "f: the table of measured GB/s has 3 cards and the node 2; measure the cards of this "
            "node");
}

TEST(ReadTopology, RefusesWhatIsNoText) {
  const std::string empty =
      "f, line 1: the file is empty; give the output of `nvidia-smi topo -m` or another format of "
      "docs/reference/topology-files.md";
  EXPECT_EQ(Refusal(ReadTopology("", "f")), empty);
  EXPECT_EQ(Refusal(ReadTopology(" \r\n\t\n", "f")), empty);
  EXPECT_EQ(Refusal(ReadTopology("GPU0\n\xff\n", "f")),
            "f, line 2: is not UTF-8 text; save the file as UTF-8");
  EXPECT_EQ(Refusal(ReadTopology(std::string_view("GPU0\n\n\0X", 8), "f")),
            "f, line 3: is not UTF-8 text; save the file as UTF-8");
  EXPECT_EQ(Refusal(ReadTopology(std::string((1 << 20) + 1, ' '), "f")),
            "f: has more than 1 MiB; give the topology of one node");
}

TEST(ReadTopology, MessagesKeepControlCharactersOfTheFileOut) {
  EXPECT_EQ(Refusal(ReadTopology("", "a\nb")).substr(0, 4), "a?b,");
}

}  // namespace
}  // namespace aliquot::topology
