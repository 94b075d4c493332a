// SPDX-License-Identifier: Apache-2.0
#include "topology/read_nccl_xml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/topology/topology_files.h"
#include "topology/nccl_speeds.h"

namespace aliquot::topology {
namespace {

using ::testing::ElementsAre;

std::string Cpu(int numa, const std::string& children) {
  return "<cpu numaid=\"" + std::to_string(numa) + "\" arch=\"x86_64\" vendor=\"AuthenticAMD\">\n" +
         children + "</cpu>\n";
}

std::string System(const std::string& children) {
  return "<system version=\"1\">\n" + children + "</system>\n";
}

// A GPU on generation 4 x16, 24 GB/s.
std::string Gpu(const std::string& bus_id, const std::string& gpu = "") {
  return "<pci busid=\"" + bus_id +
         "\" class=\"0x030200\" link_speed=\"16.0 GT/s PCIe\" link_width=\"16\">" + gpu +
         "</pci>\n";
}

std::string Switch(const std::string& bus_id, const std::string& children,
                   const std::string& ids = "") {
  return "<pci busid=\"" + bus_id + "\" class=\"0x060400\" " + ids +
         " link_speed=\"16 GT/s\" link_width=\"16\">\n" + children + "</pci>\n";
}

std::string Nvlink(const std::string& target, const std::string& count, const char* tclass) {
  return "<nvlink target=\"" + target + "\" count=\"" + count + "\" tclass=\"" + tclass + "\"/>";
}

constexpr const char* kGpuClass = "0x030200";
constexpr const char* kSwitchClass = "0x068000";

std::shared_ptr<const NodeTopology> Node(const std::string& xml) {
  const Result<Description> read = ReadNcclXml(xml, "t.xml");
  EXPECT_TRUE(read.ok()) << read.status().message();
  return NodeTopology::Create(*read).value();
}

std::string Bad(const std::string& xml) { return Refusal(ReadNcclXml(xml, "t.xml")); }

TEST(ReadNcclXml, TheTreeGivesTheClasses) {
  // 0 and 1 on one switch, 2 on another below the same outer one, 3 at the host bridge.
  const auto node = Node(
      System(Cpu(0, Switch("a", Switch("b", Gpu("00:1") + Gpu("00:2")) + Switch("c", Gpu("00:3"))) +
                        Gpu("00:4")) +
             Cpu(1, Gpu("00:5"))));
  EXPECT_EQ(FormatLink(node->link(0, 1)), "PIX");
  EXPECT_EQ(FormatLink(node->link(0, 2)), "PXB");
  EXPECT_EQ(FormatLink(node->link(0, 3)), "PHB");
  EXPECT_EQ(FormatLink(node->link(0, 4)), "SYS");
  // 24 everywhere but AMD's 16 between the nodes.
  EXPECT_EQ(node->link(0, 2).gbps, 24);
  EXPECT_EQ(node->link(0, 4).gbps, 16);
  EXPECT_EQ(node->hops(0, 1), 2);
  // Card, inner switch, outer switch, host bridge, NUMA node.
  EXPECT_EQ(node->graph().CardToNuma(0, 0)->hops, 4);
  EXPECT_EQ(node->graph().CardToNuma(0, 1)->hops, 5);
}

TEST(ReadNcclXml, TheLevelsOfABroadcomSwitchAreOne) {
  const std::string ids =
      "vendor=\"0x1000\" device=\"0xc010\" subsystem_vendor=\"0x1000\" subsystem_device=\"0xa096\"";
  const auto node = Node(System(
      Cpu(0, Switch("a", Switch("b", Gpu("00:1"), ids) + Switch("c", Gpu("00:2"), ids), ids))));
  EXPECT_EQ(FormatLink(node->link(0, 1)), "PIX");
}

TEST(ReadNcclXml, NvlinksBetweenCardsAreAdded) {
  const std::string to_2 = Nvlink("00:2", "1", kGpuClass) + Nvlink("00:2", "1", kGpuClass);
  const auto node = Node(System(
      Cpu(0, Gpu("00:1", "<gpu dev=\"0\">" + to_2 + "</gpu>") +
                 Gpu("00:2", "<gpu dev=\"1\">" + Nvlink("00:1", "2", kGpuClass) + "</gpu>"))));
  EXPECT_EQ(FormatLink(node->link(0, 1)), "NV2");
  EXPECT_EQ(node->link(0, 1).gbps, 50);
  EXPECT_EQ(node->hops(0, 1), 1);
}

TEST(ReadNcclXml, ThroughSwitchesAPairHasTheFewerOfBothCardsLinks) {
  // Six switches with two links each for card 0: 12. Card 1 has lost one: 11. Card 2 has 12.
  std::string all;
  std::string fewer;
  for (int i = 0; i < 6; ++i) {
    all += Nvlink("0000:c" + std::to_string(i), "2", kSwitchClass);
    fewer += Nvlink("0000:c" + std::to_string(i), i == 0 ? "1" : "2", kSwitchClass);
  }
  const auto gpu = [](const std::string& links) { return "<gpu>" + links + "</gpu>"; };
  const auto node =
      Node(System(Cpu(0, Gpu("00:1", gpu(all)) + Gpu("00:2", gpu(fewer)) + Gpu("00:3", gpu(all)))));
  EXPECT_EQ(FormatLink(node->link(0, 1)), "NV11");
  EXPECT_EQ(FormatLink(node->link(0, 2)), "NV12");
  EXPECT_EQ(node->hops(0, 2), 2);
}

TEST(ReadNcclXml, C2cLeadsToTheProcessor) {
  // 10 links of 44,800 MB/s: 448 GB/s; both cards of one processor meet there.
  const std::string c2c = "<gpu><c2c bw=\"44800\" count=\"10\"/></gpu>";
  const auto node = Node(System(Cpu(0, Gpu("00:1", c2c) + Gpu("00:2", c2c))));
  EXPECT_EQ(FormatLink(node->link(0, 1)), "C2C");
  EXPECT_EQ(node->link(0, 1).gbps, 448);
  EXPECT_EQ(FormatLink(node->graph().CardToNuma(0, 0)->link), "C2C");
}

TEST(ReadNcclXml, CardsAreOrderedByDevElseByBusId) {
  const auto order = [](const Description& description) {
    std::vector<std::string> ids;
    for (const DescribedCard& card : description.cards) {
      ids.push_back(card.pci);
    }
    return ids;
  };
  EXPECT_THAT(order(*ReadNcclXml(System(Cpu(0, Gpu("0B:1") + Gpu("0a:1"))), "t")),
              ElementsAre("0a:1", "0b:1"));
  EXPECT_THAT(
      order(*ReadNcclXml(
          System(Cpu(0, Gpu("0a:1", "<gpu dev=\"1\"/>") + Gpu("0b:1", "<gpu dev=\"0\"/>"))), "t")),
      ElementsAre("0b:1", "0a:1"));
}

TEST(ReadNcclXml, OtherDevicesAreNoCards) {
  const Description read =
      ReadNcclXml(System(Cpu(0,
                             "<pci busid=\"1\" class=\"0x010802\"/>"
                             "<pci busid=\"2\" class=\"0x030000\" vendor=\"0x1a03\"/>"
                             "<pci busid=\"3\" class=\"0x020700\"/>"
                             "<pci busid=\"4\" class=\"0x068000\"/>")),
                  "t")
          .value();
  EXPECT_TRUE(read.cards.empty());
  EXPECT_EQ(read.nics.size(), 1u);
  EXPECT_TRUE(read.notes.empty());
}

TEST(ReadNcclXml, OneNvlinkedSideOnlyIsRefused) {
  EXPECT_EQ(Bad(System(Cpu(0, Gpu("00:1", "<gpu>" + Nvlink("00:2", "4", kGpuClass) + "</gpu>") +
                                  Gpu("00:2")))),
            "t.xml, line 3: GPU0 lists 4 NVLinks to GPU1, which lists 0 back; a link is the same "
            "both ways, so correct one");
}

TEST(ReadNcclXml, BadNumbersAreRefusedWithTheirLine) {
  EXPECT_EQ(Bad(System(Cpu(0, Gpu("00:1", "<gpu>" + Nvlink("x", "-3", kGpuClass) + "</gpu>")))),
            "t.xml, line 3: has the count \"-3\"; give the number of NVLinks, 1 to 36");
  EXPECT_EQ(Bad(System(Cpu(0, Gpu("00:1", "<gpu>" + Nvlink("x", "30", kSwitchClass) +
                                              Nvlink("y", "30", kSwitchClass) + "</gpu>")))),
            "t.xml, line 3: brings GPU0 to 60 NVLinks there; at most 36 are supported");
  EXPECT_EQ(Bad(System(Cpu(0, "<pci busid=\"1\" class=\"0x030200\" link_width=\"wide\"/>\n"))),
            "t.xml, line 3: has the link_width \"wide\"; give the number of lanes, 0 to 32");
  EXPECT_EQ(Bad("<system version=\"1\">\n<cpu numaid=\"one\"/></system>"),
            "t.xml, line 2: has the numaid \"one\"; give a whole number");
  EXPECT_EQ(Bad(System(Cpu(0, Gpu("00:1", "<gpu><c2c bw=\"-1\" count=\"2\"/></gpu>")))),
            "t.xml, line 3: has the bw \"-1\" and the count \"2\"; give MB/s of one link and how "
            "many there are");
}

TEST(ReadNcclXml, CardsThatCannotBeToldApartAreRefused) {
  EXPECT_EQ(Bad(System(Cpu(0, Gpu("00:1") + Gpu("00:1")))),
            "t.xml, line 4: is a GPU with the busid \"00:1\"; give each GPU its own");
  EXPECT_EQ(Bad(System(Cpu(0, Gpu("00:1", "<gpu dev=\"0\"/>") + Gpu("00:2", "<gpu dev=\"0\"/>")))),
            "t.xml, line 4: has the dev 0 of another GPU; give the topology of one node");
}

TEST(ReadNcclXml, SixtyFiveCardsAndDeepTreesAreRefused) {
  std::string cards;
  for (int i = 0; i < 65; ++i) {
    cards += Gpu("00:" + std::to_string(i));
  }
  EXPECT_EQ(Bad(System(Cpu(0, cards))),
            "t.xml, line 67: is GPU 65; at most 64 of one node are supported");
  std::string deep;
  for (int i = 0; i < 40; ++i) {
    deep += "<pci busid=\"" + std::to_string(i) + "\">";
  }
  for (int i = 0; i < 40; ++i) {
    deep += "</pci>";
  }
  EXPECT_EQ(Bad(System(Cpu(0, deep))), "t.xml, line 3: is nested too deep; at most 32 <pci> deep");
}

TEST(ReadNcclXml, OtherFilesAreRefused) {
  EXPECT_EQ(Bad("<system version=\"2\"/>"),
            "t.xml, line 1: has version \"2\"; this program reads version 1");
  EXPECT_EQ(Bad("\n<html/>"),
            "t.xml, line 2: begins with <html>; NCCL's topology file begins with <system>");
  EXPECT_EQ(Bad("<system/>"),
            "t.xml, line 1: has no <cpu>; dump the topology with NCCL_TOPO_DUMP_FILE");
  EXPECT_EQ(Bad("<system>\n<cpu>\n"),
            "t.xml, line 2: is not XML (Start-end tags mismatch); give NCCL's topology file whole");
  EXPECT_EQ(Bad("<system><cpu host_hash=\"1\"/>\n<cpu host_hash=\"2\"/></system>"),
            "t.xml, line 2: is of another host; give the topology of one node");
}

TEST(ReadNcclXml, NothingOutsideOfTheFileIsRead) {
  EXPECT_EQ(
      Bad("<?xml version=\"1.0\"?>\n<!DOCTYPE system [<!ENTITY x SYSTEM "
          "\"file:///etc/passwd\">]><system>&x;</system>"),
      "t.xml, line 2: has a document type; remove it, since nothing outside of the file is read");
}

TEST(NcclSpeeds, PcieByGenerationAndWidth) {
  // width x code / 80: 16 x 15, 30, 60, 120, 240, 480.
  EXPECT_EQ(PcieGbps("2.5 GT/s", 16), 3);
  EXPECT_EQ(PcieGbps("5.0 GT/s PCIe", 16), 6);
  EXPECT_EQ(PcieGbps("8 GT/s", 16), 12);
  EXPECT_EQ(PcieGbps("16.0 GT/s PCIe", 8), 12);
  EXPECT_EQ(PcieGbps("32 GT/s", 16), 48);
  EXPECT_EQ(PcieGbps("64.0 GT/s PCIe", 16), 96);
  // Not known: generation 3, 16 lanes.
  EXPECT_EQ(PcieGbps("", 0), 12);
  EXPECT_EQ(PcieGbps("Unknown speed", 0), 12);
  EXPECT_EQ(PcieGbps("2.5 GT/s", 1), 1);
}

TEST(NcclSpeeds, BetweenSocketsByProcessor) {
  EXPECT_EQ(InterSocketGbps({"x86_64", "GenuineIntel", 6, 79}), 6);    // Broadwell
  EXPECT_EQ(InterSocketGbps({"x86_64", "GenuineIntel", 6, 85}), 10);   // Skylake
  EXPECT_EQ(InterSocketGbps({"x86_64", "GenuineIntel", 6, 143}), 22);  // Sapphire Rapids
  EXPECT_EQ(InterSocketGbps({"x86_64", "GenuineIntel", 6, 207}), 40);  // Emerald Rapids
  EXPECT_EQ(InterSocketGbps({"x86_64", "AuthenticAMD", 25, 1}), 16);
  EXPECT_EQ(InterSocketGbps({"ppc64", "", -1, -1}), 32);
  EXPECT_EQ(InterSocketGbps({"arm64", "", -1, -1}), 6);
  EXPECT_EQ(InterSocketGbps({"x86_64", "  Shanghai  ", 7, 91}), 9);
  EXPECT_EQ(InterSocketGbps({"", "", -1, -1}), 6);
}

}  // namespace
}  // namespace aliquot::topology
