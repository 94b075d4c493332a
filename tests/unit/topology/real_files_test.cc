// SPDX-License-Identifier: Apache-2.0
// Every file of tests/data/topology against facts read off it by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "tests/unit/topology/topology_files.h"

namespace aliquot::topology {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Facts {
  std::string file;
  PairCounts pairs;
  std::vector<int> numa;
  std::vector<int> nic_numa;
};

void PrintTo(const Facts& facts, std::ostream* out) { *out << facts.file; }

// GB/s by class: NV# 25 a link, PIX 24, NODE 18, SYS 16.
const std::vector<Facts>& Matrices() {
  const std::vector<int> halves = {0, 0, 0, 0, 1, 1, 1, 1};
  static const std::vector<Facts> facts = {
      // Each card of the cube mesh has two NV1 and two NV2 neighbours: 8 x 2 / 2 = 8 pairs each,
      // and 28 - 16 = 12 pairs without NVLink. The NIC is PIX to cards 2 and 3 of socket 0.
      {"01_dgx1v_class_8xV100-SXM2-16GB_xeon5118.txt",
       {{"NV1@25", 8}, {"NV2@50", 8}, {"SYS@16", 12}},
       halves,
       {0}},
      {"02_nersc_corigpu_8xV100-SXM2_8xNIC.txt",
       {{"NV1@25", 8}, {"NV2@50", 8}, {"SYS@16", 12}},
       halves,
       {1, 0, 0, 0, 0, 1, 1, 1, 1}},
      {"04_hgxa100_8gpu_epyc7763_nps4.txt", {{"NV12@300", 28}}, {3, 3, 1, 1, 7, 7, 5, 5}, {1}},
      {"05_a100_8gpu_4numa_fastdeploy.txt",
       {{"NV12@300", 28}},
       {0, 0, 1, 1, 2, 2, 3, 3},
       {0, 1, 1}},
      {"06_h100sxm_8gpu_2numa.txt", {{"NV18@450", 28}}, halves, {}},
      {"08_h800_8gpu_nv8_9nic.txt", {{"NV8@200", 28}}, halves, {0, 0, 0, 0, 1, 1, 1, 1, 0}},
      // The NICs are SYS to every card, so their NUMA nodes are unknown.
      {"10_gb200_tray_4gpu_numaid-na.txt",
       {{"NV18@450", 6}},
       {0, 0, 1, 1},
       {-1, -1, -1, -1, -1, -1, -1, -1}},
      // "0,3-9,11-17" and "1,19-25,27-33": the processors' nodes, not the cards' memory (2, 10,
      // ..).
      {"11_gb200_class_tray_4gpu_gpu-numa-ids.txt",
       {{"NV18@450", 6}},
       {0, 0, 1, 1},
       {-1, -1, -1, -1, -1, -1, -1, -1}},
      // Bridges 0-5, 1-2, 3-4, 6-7. NODE: 0 to 1, 2; then 3, 4 and 5, 6, 7 less the bridges:
      // 3 + 3 + 2. The rest, 28 - 4 - 10 = 14, is SYS.
      {"12_h100pcie_8gpu_nvlink-bridges_xeon6430.txt",
       {{"NV12@300", 4}, {"NODE@18", 10}, {"SYS@16", 14}},
       {0, 0, 0, 1, 1, 1, 1, 1},
       {}},
      // In each half two bridges and 6 - 2 = 4 NODE pairs; across 4 x 4 SYS.
      {"14_8gpu_nv4-bridged-pairs_2numa_unige.txt",
       {{"NV4@100", 4}, {"NODE@18", 8}, {"SYS@16", 16}},
       halves,
       {1, 1}},
      {"16_4gpu_nv4-pairs_1nic_2numa.txt", {{"NV4@100", 2}, {"SYS@16", 4}}, {0, 0, 1, 1}, {1}},
      // NUMA affinity "0-1" of every card: the lower.
      {"17_leonardo_4xA100-64GB_nv4-allpairs.txt", {{"NV4@100", 6}}, {0, 0, 0, 0}, {0, 0, 0, 0}},
      {"18_8xRTX4090_node-sys_2numa.txt", {{"NODE@18", 12}, {"SYS@16", 16}}, halves, {}},
      // The NICs are PHB to card 6 alone.
      {"19_8xRTX4090_all-SYS_2numa_gpuallocator17.txt", {{"SYS@16", 28}}, halves, {1, 1}},
      {"23_8xL40S_node-sys_2numa_ncclt273.txt", {{"NODE@18", 12}, {"SYS@16", 16}}, halves, {-1}},
  };
  return facts;
}

class RealMatrix : public ::testing::TestWithParam<Facts> {};

TEST_P(RealMatrix, HasTheFactsReadOffByHand) {
  const Facts& facts = GetParam();
  const Result<Description> description = Read("matrices/" + facts.file);
  ASSERT_TRUE(description.ok()) << description.status().message();
  EXPECT_THAT(description->notes, IsEmpty());
  const auto node = NodeTopology::Create(*description).value();
  EXPECT_EQ(CountPairs(*node), facts.pairs);
  EXPECT_EQ(NumaOf(*node), facts.numa);
  ASSERT_EQ(description->nics.size(), facts.nic_numa.size());
  for (std::size_t nic = 0; nic < facts.nic_numa.size(); ++nic) {
    EXPECT_EQ(description->nics[nic].numa, facts.nic_numa[nic]) << "NIC " << nic;
  }
}

TEST_P(RealMatrix, SearchesFindTheClassesOfTheMatrix) {
  const Description description = Read("matrices/" + GetParam().file).value();
  const auto node = NodeTopology::Create(description).value();
  const int cards = node->card_count();
  for (int a = 0; a < cards; ++a) {
    for (int b = 0; b < cards; ++b) {
      if (a != b) {
        const Link& given =
            description.links[PairIndex(static_cast<std::size_t>(a), static_cast<std::size_t>(b),
                                        static_cast<std::size_t>(cards))];
        EXPECT_EQ(FormatLink(node->link(a, b)), FormatLink(given)) << a << " to " << b;
      }
    }
    for (std::size_t nic = 0; nic < description.nics.size(); ++nic) {
      const auto& path = node->graph().CardToNic(a, static_cast<int>(nic));
      ASSERT_TRUE(path.has_value());
      EXPECT_EQ(FormatLink(path->link),
                FormatLink(description.nics[nic].to_cards[static_cast<std::size_t>(a)]));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, RealMatrix, ::testing::ValuesIn(Matrices()),
                         [](const auto& facts) { return facts.param.file.substr(0, 2); });

TEST(RealMatrices, TheMeasuredTableOverridesTheClasses) {
  // File 21, both ways at once, halved. 0-1 (PIX): 52.1 and 52.0, so 52.0 / 2 = 26. 0-2 (NODE):
  // 104.3 and 104.0, so 52. 0-4 (SYS): 93.9 and 94.5, so 93.9 / 2 = 46.95, 47.
  const Description description =
      Read("matrices/21_6xRTXPRO6000-Blackwell_pix-node-sys_epyc9355.txt").value();
  EXPECT_THAT(description.measured_gbps,
              ElementsAre(26, 52, 51, 47, 45,  // 52.0, 104.0, 102.6, 93.9, 89.0
                          51, 51, 43, 43,      // 102.8, 102.9, 86.5, 86.0
                          26, 46, 47,          // 52.0, 91.5, 94.1
                          47, 43,              // 94.0, 86.4 = 43.2
                          26));                // 51.1 = 25.55
  const auto node = NodeTopology::Create(description).value();
  EXPECT_EQ(NumaOf(*node), (std::vector<int>{0, 0, 0, 0, 1, 1}));
  EXPECT_EQ(FormatLink(node->link(0, 1)), "PIX");
  EXPECT_EQ(node->link(0, 1).gbps, 26);
  EXPECT_EQ(FormatLink(node->link(2, 0)), "NODE");
  EXPECT_EQ(node->link(2, 0).gbps, 52);
  // The graph keeps the class's own figure: PIX 24.
  EXPECT_EQ(node->graph().CardToCard(0, 1).link.gbps, 24);
}

TEST(RealMatrices, PartialDumpsAreRefusedWithLineAndReason) {
  const std::string paste = "; paste the whole output of `nvidia-smi topo -m`";
  EXPECT_EQ(Refusal(Read("matrices/25_h20-or-h100_8gpu_8nic_nvidia-rails.txt")),
            "25_h20-or-h100_8gpu_8nic_nvidia-rails.txt, line 9: the matrix ends here without a row "
            "of GPU7, which line 2 names" +
                paste);
  EXPECT_EQ(Refusal(Read("matrices/28_8gpu_pix-phb-sys_2017_k8s53497_PARTIAL.txt")),
            "28_8gpu_pix-phb-sys_2017_k8s53497_PARTIAL.txt, line 7: the matrix ends here without a "
            "row of GPU5, which line 2 names" +
                paste);
  EXPECT_EQ(Refusal(Read("matrices/29_8gpu_pix-pxb-sys_vllm11122_PARTIAL.txt")),
            "29_8gpu_pix-pxb-sys_vllm11122_PARTIAL.txt, line 8: the matrix ends here without a row "
            "of GPU6, which line 2 names" +
                paste);
}

// GB/s are NCCL's: a generation 3 x16 link 12, 4 24, 5 48; through an Intel host bridge 5/6 of it;
// between sockets Skylake 10, Sapphire Rapids 22, AMD 16.
const std::vector<Facts>& NcclFiles() {
  const std::vector<int> halves = {0, 0, 0, 0, 1, 1, 1, 1};
  static const std::vector<Facts> facts = {
      // Two cards a switch, two switches a socket, generation 3: PIX 12; between the switches of a
      // socket 12 x 5 / 6 = 10; between the Skylake sockets 10.
      {"aws-p4d-24xl-topo.xml",
       {{"PIX@12", 4}, {"PHB@10", 8}, {"SYS@10", 16}},
       halves,
       {0, 0, 1, 1}},
      {"aws-p4de-24xl-topo.xml",
       {{"PIX@12", 4}, {"PHB@10", 8}, {"SYS@10", 16}},
       halves,
       {0, 0, 1, 1}},
      // No speed, so generation 3, 12; less than AMD's 16 between nodes.
      {"azure-ncv4-topo.xml", {{"SYS@12", 6}}, {0, 1, 2, 3}, {0}},
      // Straight at the host bridge, generation 4: 24 x 5 / 6 = 20; Skylake 10.
      {"azure-ndv2-topo.xml", {{"PHB@20", 12}, {"SYS@10", 16}}, halves, {0}},
      // By bus id: 0001 and 0002 are on node 1, 0003 and 0004 on node 0, 000b and 000c on 3, 000d
      // and 000e on 2. Generation 4: PIX 24; AMD 16.
      {"azure-ndv4-topo.xml",
       {{"PIX@24", 4}, {"SYS@16", 24}},
       {1, 1, 0, 0, 3, 3, 2, 2},
       {0, 0, 1, 1, 2, 2, 3, 3}},
      // One card and one NIC a switch, generation 5: 48 x 5 / 6 = 40; Sapphire Rapids 22.
      {"azure-ndv5-topo.xml", {{"PHB@40", 12}, {"SYS@22", 16}}, halves, {0, 0, 0, 0, 1, 1, 1, 1}},
      // Its devices have no class.
      {"aws-g5.48xl-topo.xml", {}, {}, {}},
  };
  return facts;
}

class RealNcclFile : public ::testing::TestWithParam<Facts> {};

TEST_P(RealNcclFile, HasTheFactsReadOffByHand) {
  const Facts& facts = GetParam();
  const Result<Description> description = Read("nccl/" + facts.file);
  ASSERT_TRUE(description.ok()) << description.status().message();
  const auto node = NodeTopology::Create(*description).value();
  EXPECT_EQ(CountPairs(*node), facts.pairs);
  EXPECT_EQ(NumaOf(*node), facts.numa);
  ASSERT_EQ(description->nics.size(), facts.nic_numa.size());
  for (std::size_t nic = 0; nic < facts.nic_numa.size(); ++nic) {
    EXPECT_EQ(description->nics[nic].numa, facts.nic_numa[nic]) << "NIC " << nic;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, RealNcclFile, ::testing::ValuesIn(NcclFiles()),
                         [](const auto& facts) {
                           std::string name = facts.param.file;
                           for (char& c : name) {
                             c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
                           }
                           return name;
                         });

TEST(RealNcclFiles, SayWhatCouldNotBeUsed) {
  EXPECT_THAT(Read("nccl/aws-g5.48xl-topo.xml")->notes,
              ElementsAre("9 PCI devices have no class, so they are not taken as GPUs"));
  // Each GPU of the file names itself as the other end.
  EXPECT_THAT(Read("nccl/azure-ncv4-topo.xml")->notes,
              ElementsAre("4 <nvlink> lead to the GPU itself or to a device that is not in the "
                          "file, and are left out"));
  EXPECT_THAT(Read("nccl/azure-ndv5-topo.xml")->notes, IsEmpty());
}

TEST(RealNcclFiles, NicsHangWhereTheFileSays) {
  const auto p4d = NodeTopology::Create(Read("nccl/aws-p4d-24xl-topo.xml").value()).value();
  EXPECT_EQ(ToNic(*p4d, 0), "PIX,PIX,PHB,PHB,SYS,SYS,SYS,SYS");
  const auto ndv5 = NodeTopology::Create(Read("nccl/azure-ndv5-topo.xml").value()).value();
  EXPECT_EQ(ToNic(*ndv5, 3), "PHB,PHB,PHB,PIX,SYS,SYS,SYS,SYS");
  EXPECT_EQ(ndv5->NearestNic(3)->link.gbps, 48);
  EXPECT_EQ(Read("nccl/azure-ncv4-topo.xml")->nics[0].name, "eth0");
}

TEST(RealNcclFiles, ASearchResultIsRefused) {
  EXPECT_EQ(Refusal(Read("nccl/azure-ncv4-graph.xml")),
            "azure-ncv4-graph.xml, line 1: holds <graphs>, the rings that NCCL chose and no "
            "topology; dump the topology with NCCL_TOPO_DUMP_FILE");
}

// MAPA's own figures: GB/s of each pair, PCIe 10.
const std::vector<Facts>& PairLists() {
  static const std::vector<Facts> facts = {
      {"topo_dgx-v.csv",
       {{"NV2@50", 8}, {"NV1@25", 8}, {"SYS@10", 12}},
       std::vector<int>(8, -1),
       {}},
      {"topo_dgx-p.csv", {{"NV1@20", 16}, {"SYS@10", 12}}, std::vector<int>(8, -1), {}},
      {"topo_summit.csv", {{"NV2@50", 6}, {"SYS@10", 9}}, std::vector<int>(6, -1), {}},
      {"topo_torus-2d.csv",
       {{"NV2@50", 14}, {"NV1@25", 17}, {"SYS@10", 89}},
       std::vector<int>(16, -1),
       {}},
      // Four pairs of 25 GB/s are called DoubleNVLink.
      {"topo_cubeMesh-16.csv",
       {{"NV2@50", 10}, {"NV2@25", 4}, {"NV1@25", 18}, {"SYS@10", 88}},
       std::vector<int>(16, -1),
       {}},
  };
  return facts;
}

TEST(RealPairLists, HaveMapasFigures) {
  for (const Facts& facts : PairLists()) {
    SCOPED_TRACE(facts.file);
    const Result<Description> description = Read("mapa/" + facts.file);
    ASSERT_TRUE(description.ok()) << description.status().message();
    const auto node = NodeTopology::Create(*description).value();
    EXPECT_EQ(CountPairs(*node), facts.pairs);
    EXPECT_EQ(NumaOf(*node), facts.numa);
  }
}

TEST(RealFiles, NoneIsForgotten) {
  std::set<std::string> known = {
      "21_6xRTXPRO6000-Blackwell_pix-node-sys_epyc9355.txt",
      "25_h20-or-h100_8gpu_8nic_nvidia-rails.txt",
      "28_8gpu_pix-phb-sys_2017_k8s53497_PARTIAL.txt",
      "29_8gpu_pix-pxb-sys_vllm11122_PARTIAL.txt",
      "azure-ncv4-graph.xml",
      "README.md",
  };
  for (const auto& list : {Matrices(), NcclFiles(), PairLists()}) {
    for (const Facts& facts : list) {
      known.insert(facts.file);
    }
  }
  const std::string folder = std::string(ALIQUOT_SOURCE_DIR) + "/tests/data/topology";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      EXPECT_EQ(known.count(entry.path().filename().string()), 1u) << entry.path();
    }
  }
}

}  // namespace
}  // namespace aliquot::topology
