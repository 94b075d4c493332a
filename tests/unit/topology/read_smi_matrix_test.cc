// SPDX-License-Identifier: Apache-2.0
#include "topology/read_smi_matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/topology/topology_files.h"

namespace aliquot::topology {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Links(const Description& description) {
  std::vector<std::string> words;
  for (const Link& link : description.links) {
    words.push_back(FormatLink(link));
  }
  return words;
}

std::vector<int> Numa(const Description& description) {
  std::vector<int> numa;
  for (const DescribedCard& card : description.cards) {
    numa.push_back(card.numa);
  }
  return numa;
}

Description Good(std::string_view text) {
  Result<Description> read = ReadSmiMatrix(text, "m.txt");
  EXPECT_TRUE(read.ok()) << read.status().message();
  return read.ok() ? *read : Description();
}

std::string Bad(std::string_view text) { return Refusal(ReadSmiMatrix(text, "m.txt")); }

constexpr const char* kPaste = "; paste the whole output of `nvidia-smi topo -m`";

TEST(ReadSmiMatrix, CellsMayLoseTheirSeparator) {
  const Description read = Good(
      "        GPU0    GPU1    GPU2    NIC0    CPU Affinity    NUMA Affinity\n"
      "GPU0     X      NV12    SYSSYS    0-31    0\n"
      "GPU1    NV12     X      NODENODE    0-31    0\n"
      "GPU2    SYSNODE     X      PIX    32-63    1\n"
      "NIC0    SYSNODEPIX X\n");
  EXPECT_THAT(Links(read), ElementsAre("NV12", "SYS", "NODE"));
  EXPECT_THAT(Numa(read), ElementsAre(0, 0, 1));
  ASSERT_EQ(read.nics.size(), 1u);
  EXPECT_EQ(FormatLink(read.nics[0].to_cards[2]), "PIX");
}

TEST(ReadSmiMatrix, ALinkMayRunIntoTheCpuList) {
  // NV18 and 0-51, NV1 and 0-51: no card has 180 links, and no list begins with a dash.
  EXPECT_THAT(Links(Good("     GPU0 GPU1 CPU Affinity NUMA Affinity\n"
                         "GPU0 X NV180-51,104-155 0\n"
                         "GPU1 NV18 X 0-51,104-155 0\n")),
              ElementsAre("NV18"));
  EXPECT_THAT(Links(Good("     GPU0 GPU1 CPU Affinity NUMA Affinity\n"
                         "GPU0 X NV10-51 0\n"
                         "GPU1 NV1 X 0-51 0\n")),
              ElementsAre("NV1"));
}

TEST(ReadSmiMatrix, HeaderNamesMayLoseTheirSeparator) {
  const Description read = Good(
      "GPU0GPU1 NIC0NIC1CPU Affinity NUMA Affinity\n"
      "GPU0 X PIX PHB SYS 0-7 0\n"
      "GPU1 PIX X PHB SYS 0-7 0\n"
      "NIC0 PHB PHB X SYS\n"
      "NIC1 SYS SYS SYS X\n");
  EXPECT_EQ(read.cards.size(), 2u);
  EXPECT_EQ(read.nics.size(), 2u);
  EXPECT_THAT(Numa(read), ElementsAre(0, 0));
}

TEST(ReadSmiMatrix, SocIsTheOlderWordForSys) {
  EXPECT_THAT(Links(Good("     GPU0 GPU1 CPU Affinity\n"
                         "GPU0 X SOC 0-7\n"
                         "GPU1 SOC X 8-15\n")),
              ElementsAre("SYS"));
}

TEST(ReadSmiMatrix, WithoutNumaColumnTheCpuListsAreTheNodes) {
  // Numbered by their lowest CPU.
  EXPECT_THAT(Numa(Good("     GPU0 GPU1 GPU2 CPU Affinity\n"
                        "GPU0 X SYS SYS 12-23,36-47\n"
                        "GPU1 SYS X PIX 0-11,24-35\n"
                        "GPU2 SYS PIX X 0-11,24-35\n")),
              ElementsAre(1, 0, 0));
}

TEST(ReadSmiMatrix, NumaAffinityMayBeARangeAListOrMissing) {
  EXPECT_THAT(Numa(Good("     GPU0 GPU1 GPU2 CPU Affinity NUMA Affinity GPU NUMA ID\n"
                        "GPU0 X SYS SYS 0-71 0,3-9,11-17 2\n"
                        "GPU1 SYS X SYS 72-143 1-17 10\n"
                        "GPU2 SYS SYS X N/A N/A N/A\n")),
              ElementsAre(0, 1, -1));
}

TEST(ReadSmiMatrix, EmptyAffinityCellsAreFoundByTheirPlace) {
  // CPU affinity of GPU1 and NUMA affinity of GPU2 are empty; GPU2 shares the CPUs of GPU0.
  const std::string aligned =
      "\tGPU0\tGPU1\tGPU2\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
      "GPU0\t X \tSYS\tPHB\t0-31\t3\t\tN/A\n"
      "GPU1\tSYS\t X \tSYS\t\t\t7\t\tN/A\n"
      "GPU2\tPHB\tSYS\t X \t0-31\t\t\tN/A\n";
  EXPECT_THAT(Numa(Good(aligned)), ElementsAre(3, 7, 3));
}

TEST(ReadSmiMatrix, AHeaderWithoutLeadingBlanksIsReadAsTheOther) {
  EXPECT_THAT(Numa(Good("GPU0    GPU1    CPU Affinity    NUMA Affinity   GPU NUMA ID\n"
                        "GPU0     X      PXB     0-95            N/A             N/A\n"
                        "GPU1    PXB      X      0-95                            N/A\n")),
              ElementsAre(0, 0));
}

TEST(ReadSmiMatrix, EscapeSequencesCarriageReturnsAndAByteOrderMarkAreDropped) {
  const Description read = Good(
      "\xef\xbb\xbf$ nvidia-smi topo -m\r\n"
      "\t\x1b[4mGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\x1b[0m\r\n"
      "\r\n"
      "GPU0\t X \tNV4\t0-7\t0\r\n"
      "GPU1\tNV4\t X \t0-7\t0\r\n");
  EXPECT_THAT(Links(read), ElementsAre("NV4"));
  EXPECT_THAT(Numa(read), ElementsAre(0, 0));
  // As it is pasted where the escape character is lost.
  EXPECT_THAT(Links(Good("\t[4mGPU0\tGPU1\tCPU Affinity[0m\nGPU0\t X \tPIX\t0-7\n"
                         "GPU1\tPIX\t X \t0-7\n")),
              ElementsAre("PIX"));
}

TEST(ReadSmiMatrix, LegendsNameTheNics) {
  const Description read = Good(
      "     GPU0 NIC0 CPU Affinity NUMA Affinity GPU NUMA ID\n"
      "GPU0 X PIX 0-7 0 N/A\n"
      "NIC0 PIX X\n"
      "\n"
      "Legend:\n"
      "\n"
      "  X    = Self\n"
      "  NV#  = Connection traversing a bonded set of # NVLinks\n"
      "\n"
      "NIC Legend:\n"
      "\n"
      "  NIC0: mlx5_bond_0\n");
  EXPECT_EQ(read.nics[0].name, "mlx5_bond_0");
  EXPECT_EQ(read.nics[0].numa, 0);
}

TEST(ReadSmiMatrix, OneCardIsAMatrixToo) {
  const Description read = Good(
      "\tGPU0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
      "GPU0\t X \t0-15\t0\t\tN/A\n");
  EXPECT_THAT(Numa(read), ElementsAre(0));
  EXPECT_TRUE(read.links.empty());
}

// A DGX-2: 16 cards, NV6 each through NVSwitch, and ten NICs in pairs.
TEST(ReadSmiMatrix, SixteenCardsAndTenNics) {
  std::string text;
  const int devices = 26;
  const auto name = [](int i) {
    return i < 16 ? "GPU" + std::to_string(i) : "mlx5_" + std::to_string(i - 16);
  };
  for (int i = 0; i < devices; ++i) {
    text += "\t" + name(i);
  }
  text += "\tCPU Affinity\tNUMA Affinity\n";
  for (int i = 0; i < devices; ++i) {
    text += name(i);
    for (int j = 0; j < devices; ++j) {
      const bool cards = i < 16 && j < 16;
      const auto half = [](int k) { return k < 16 ? k / 8 : (k - 16) / 5; };
      text += i == j ? "\t X " : cards ? "\tNV6" : half(i) == half(j) ? "\tPXB" : "\tSYS";
    }
    text += i < 8 ? "\t0-23,48-71\t0\n" : i < 16 ? "\t24-47,72-95\t1\n" : "\n";
  }
  const Description read = Good(text);
  const auto node = NodeTopology::Create(read).value();
  EXPECT_EQ(CountPairs(*node), (PairCounts{{"NV6@150", 120}}));
  EXPECT_EQ(read.nics.size(), 10u);
  EXPECT_EQ(node->hops(0, 15), 2);
  EXPECT_EQ(node->NearestNic(9)->link.link_class, LinkClass::kPxb);
  EXPECT_EQ(read.nics[9].numa, 1);
}

TEST(ReadSmiMatrix, RefusesARowWithTooFewOrTooManyCells) {
  EXPECT_EQ(Bad("     GPU0 GPU1 GPU2\nGPU0 X NV1 NV1\nGPU1 NV1 X\n"),
            std::string("m.txt, line 3: the row of GPU1 has 2 cells for 3 devices") + kPaste);
  EXPECT_EQ(
      Bad("     GPU0 GPU1 CPU Affinity\nGPU0 X NV1 SYS 0-7\nGPU1 NV1 X 0-7\n"),
      std::string("m.txt, line 2: the row of GPU0 goes on with SYS behind its 2 devices") + kPaste);
}

TEST(ReadSmiMatrix, RefusesTwoRowsThatDisagree) {
  EXPECT_EQ(Bad("     GPU0 GPU1\nGPU0 X NV1\nGPU1 NV2 X\n"),
            "m.txt, line 3: says NV2 for GPU0 and GPU1 where line 2 says NV1; a link is the same "
            "both ways, so correct one of them");
}

TEST(ReadSmiMatrix, RefusesALinkToItselfAndAnXElsewhere) {
  EXPECT_EQ(Bad("     GPU0 GPU1\nGPU0 NV1 NV1\nGPU1 NV1 X\n"),
            "m.txt, line 2: links GPU0 to itself by \"NV1\"; write X there");
  EXPECT_EQ(Bad("     GPU0 GPU1\nGPU0 X X\nGPU1 NV1 X\n"),
            std::string("m.txt, line 2: GPU0 has an X, itself, in the column of GPU1") + kPaste);
}

TEST(ReadSmiMatrix, RefusesAnUnknownClass) {
  EXPECT_EQ(Bad("     GPU0 GPU1\nGPU0 X NV37\nGPU1 NV37 X\n"),
            "m.txt, line 2: GPU0 to GPU1: link is \"NV37\", not a link class; use NV1 to NV36, "
            "C2C, PIX, PXB, PHB, NODE or SYS");
  EXPECT_EQ(Bad("     GPU0 GPU1\nGPU0 X -1\nGPU1 -1 X\n"),
            "m.txt, line 2: GPU0 to GPU1: link is \"-1\", not a link class; use NV1 to NV36, C2C, "
            "PIX, PXB, PHB, NODE or SYS");
}

TEST(ReadSmiMatrix, RefusesTextWithoutAHeader) {
  EXPECT_EQ(Bad("GPU0 X NV1\nGPU1 NV1 X\n"),
            std::string("m.txt, line 2: the text ends here without a header line that names GPU0") +
                kPaste);
}

TEST(ReadSmiMatrix, RefusesRowsItsHeaderDoesNotName) {
  EXPECT_EQ(Bad("     GPU0 GPU1\nGPU0 X NV1\nGPU2 NV1 X\n"),
            std::string("m.txt, line 3: begins with \"GPU2 NV1 X\", which is no device of the "
                        "header") +
                kPaste);
  EXPECT_EQ(Bad("     GPU0 GPU1\nGPU0 X NV1\nGPU0 X NV1\nGPU1 NV1 X\n"),
            "m.txt, line 3: is a second row of GPU0 after line 2; give one matrix");
  EXPECT_EQ(Bad("     GPU0 GPU0\nGPU0 X NV1\n"),
            std::string("m.txt, line 1: names GPU0 twice") + kPaste);
  EXPECT_EQ(Bad("     GPU0 NIC0 GPU1\n"),
            "m.txt, line 1: names GPU1 behind a NIC; list the GPUs first, as nvidia-smi does");
}

TEST(ReadSmiMatrix, RefusesAMatrixWithoutTheRowOfANic) {
  EXPECT_EQ(Bad("     GPU0 NIC0 CPU Affinity\nGPU0 X PIX 0-7\n"),
            std::string("m.txt, line 2: the matrix ends here without a row of NIC0, which line 1 "
                        "names") +
                kPaste);
}

TEST(ReadSmiMatrix, RefusesSixtyFiveCards) {
  std::string header;
  for (int i = 0; i < 65; ++i) {
    header += " GPU" + std::to_string(i);
  }
  EXPECT_EQ(Bad(header + "\n"),
            "m.txt, line 1: names 65 GPUs; at most 64 of one node are supported");
}

}  // namespace
}  // namespace aliquot::topology
