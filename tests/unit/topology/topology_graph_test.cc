// SPDX-License-Identifier: Apache-2.0
#include "topology/topology_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/unit/topology/inventories.h"
#include "tests/unit/topology/topology_files.h"
#include "topology/infer_fabric.h"

namespace aliquot::topology {
namespace {

Description Words(std::string_view links, const std::vector<int>& numa) {
  return DescribeInventory(InventoryOf(links, numa)).value();
}

int CountOfKind(const Fabric& fabric, VertexKind kind) {
  return static_cast<int>(
      std::count_if(fabric.vertices.begin(), fabric.vertices.end(),
                    [kind](const Vertex& vertex) { return vertex.kind == kind; }));
}

TEST(TopologyGraph, AMeshOfMoreLinksThanACardHasGoesThroughAnNvswitch) {
  // NV12 to three others would be 36 links of a card; NV6 to three others, 18, is wired directly.
  const TopologyGraph switched =
      TopologyGraph::Create(Words("NV12,NV12,NV12,NV12,NV12,NV12", {0, 0, 1, 1})).value();
  EXPECT_EQ(CountOfKind(switched.fabric(), VertexKind::kNvSwitch), 1);
  EXPECT_EQ(switched.CardToCard(0, 3).hops, 2);
  EXPECT_EQ(FormatLink(switched.CardToCard(0, 3).link), "NV12");
  EXPECT_EQ(switched.CardToCard(0, 3).link.gbps, 300);
  const TopologyGraph direct =
      TopologyGraph::Create(Words("NV6,NV6,NV6,NV6,NV6,NV6", {0, 0, 1, 1})).value();
  EXPECT_EQ(CountOfKind(direct.fabric(), VertexKind::kNvSwitch), 0);
  EXPECT_EQ(direct.CardToCard(0, 3).hops, 1);
}

TEST(TopologyGraph, ClassesBecomeSwitchesHostBridgesAndNumaNodes) {
  // 0-1 PIX and 2-3 PIX below one host bridge, 4 on the other NUMA node.
  const TopologyGraph graph =
      TopologyGraph::Create(Words("PIX,PHB,PHB,SYS,PHB,PHB,SYS,PIX,SYS,SYS", {0, 0, 0, 0, 1}))
          .value();
  EXPECT_EQ(CountOfKind(graph.fabric(), VertexKind::kPcieSwitch), 2);
  EXPECT_EQ(CountOfKind(graph.fabric(), VertexKind::kHostBridge), 1);
  EXPECT_EQ(CountOfKind(graph.fabric(), VertexKind::kNumaNode), 2);
  EXPECT_EQ(graph.CardToCard(0, 1).hops, 2);  // card, switch, card
  EXPECT_EQ(graph.CardToCard(0, 2).hops, 4);  // card, switch, host bridge, switch, card
  EXPECT_EQ(graph.CardToCard(0, 4).hops, 5);  // .., host bridge, NUMA 0, NUMA 1, card
  EXPECT_EQ(FormatLink(graph.CardToNuma(0, 0)->link), "NODE");
  EXPECT_EQ(FormatLink(graph.CardToNuma(0, 1)->link), "SYS");
  EXPECT_FALSE(graph.CardToNuma(0, 2).has_value());
}

TEST(TopologyGraph, NicsShareTheirCardsSwitches) {
  model::Inventory inventory = InventoryOf("NV18,NV18,NV18", {0, 0, 1});
  inventory.nics = {{"mlx5_0", "", 0, {"PIX", "PIX", "SYS"}},
                    {"mlx5_1", "", 1, {"SYS", "SYS", "PHB"}}};
  const auto node = NodeTopology::Create(inventory).value();
  EXPECT_EQ(ToNic(*node, 0), "PIX,PIX,SYS");
  EXPECT_EQ(ToNic(*node, 1), "SYS,SYS,PHB");
  EXPECT_EQ(FormatLink(node->NearestNic(0)->link), "PIX");
  EXPECT_EQ(FormatLink(node->NearestNic(2)->link), "PHB");
  EXPECT_EQ(CountOfKind(node->graph().fabric(), VertexKind::kPcieSwitch), 1);
  EXPECT_FALSE(TopologyOf("NV1", {0, 0})->NearestNic(0).has_value());
}

TEST(TopologyGraph, SysInsideOneNumaNodeStaysSys) {
  const TopologyGraph graph = TopologyGraph::Create(Words("SYS,SYS,SYS", {0, 0, 0})).value();
  EXPECT_EQ(FormatLink(graph.CardToCard(0, 2).link), "SYS");
  EXPECT_EQ(FormatLink(graph.CardToNuma(2, 0)->link), "NODE");
}

TEST(TopologyGraph, NoPathLeadsThroughAnotherCard) {
  // 0-1 and 1-2 are NV2, 50 GB/s; 0-2 stays SYS though NVLink leads there through 1.
  const TopologyGraph graph = TopologyGraph::Create(Words("NV2,SYS,NV2", {0, 0, 1})).value();
  EXPECT_EQ(FormatLink(graph.CardToCard(0, 2).link), "SYS");
}

TEST(TopologyGraph, TheWidestOfPathsOfOneClassWins) {
  // Two switches join the cards: one with 12 GB/s, one with 24 and one hop more.
  Description description;
  description.cards.resize(2);
  Fabric& fabric = description.fabric;
  const int a = fabric.Add(VertexKind::kCard, 0, "GPU0");
  const int b = fabric.Add(VertexKind::kCard, 1, "GPU1");
  const int narrow = fabric.Add(VertexKind::kPcieSwitch, 0, "narrow");
  const int wide = fabric.Add(VertexKind::kPcieSwitch, 1, "wide");
  const int wider = fabric.Add(VertexKind::kPcieSwitch, 2, "wide too");
  Link slow = MakeLink(LinkClass::kPix);
  slow.gbps = 12;
  const Link fast = MakeLink(LinkClass::kPix);
  fabric.Connect(a, narrow, slow);
  fabric.Connect(narrow, b, slow);
  fabric.Connect(a, wide, fast);
  fabric.Connect(wide, wider, fast);
  fabric.Connect(wider, b, fast);
  const TopologyGraph graph = TopologyGraph::Create(description).value();
  EXPECT_EQ(graph.CardToCard(0, 1).link.gbps, 24);
  EXPECT_EQ(graph.CardToCard(0, 1).hops, 3);
}

TEST(TopologyGraph, CardsWithoutAPathAreRefused) {
  Description description;
  description.cards.resize(2);
  description.fabric.Add(VertexKind::kCard, 0, "GPU0");
  description.fabric.Add(VertexKind::kCard, 1, "GPU1");
  EXPECT_EQ(TopologyGraph::Create(description).status().message(),
            "no path leads from card 0 to card 1; describe how they are linked");
}

// Whatever the classes and NUMA nodes, also where no tree could have them: the searches find them
// again, for cards and NICs.
TEST(TopologyGraph, FindsAnyClassesAgain) {
  constexpr unsigned kSeed = 20261129;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  const char* words[] = {"NV1", "NV4", "NV12", "C2C", "PIX", "PXB", "PHB", "NODE", "SYS"};
  const auto word = [&] { return std::string(words[random() % std::size(words)]); };
  for (int round = 0; round < 200; ++round) {
    const std::size_t cards = 1 + random() % 10;
    std::vector<int> numa;
    for (std::size_t i = 0; i < cards; ++i) {
      numa.push_back(static_cast<int>(random() % 4) - 1);
    }
    model::Inventory inventory = InventoryOf("", numa);
    const bool mesh = random() % 4 == 0;
    for (std::size_t pair = 0; pair < PairCount(cards); ++pair) {
      inventory.links.push_back(mesh ? "NV12" : word());
    }
    for (std::size_t i = 0; i < random() % 4; ++i) {
      model::Nic nic{"nic", "", static_cast<int>(random() % 4) - 1, {}};
      for (std::size_t card = 0; card < cards; ++card) {
        nic.to_cards.push_back(words[4 + random() % 5]);
      }
      inventory.nics.push_back(nic);
    }
    const Description description = DescribeInventory(inventory).value();
    const TopologyGraph graph = TopologyGraph::Create(description).value();
    for (std::size_t a = 0; a < cards; ++a) {
      for (std::size_t b = 0; b < cards; ++b) {
        if (a != b) {
          const Link& given = description.links[PairIndex(a, b, cards)];
          const Link& found = graph.CardToCard(static_cast<int>(a), static_cast<int>(b)).link;
          ASSERT_EQ(FormatLink(found), FormatLink(given)) << "round " << round;
          ASSERT_EQ(found.gbps, given.gbps) << "round " << round;
        }
      }
      for (std::size_t nic = 0; nic < inventory.nics.size(); ++nic) {
        const auto& found = graph.CardToNic(static_cast<int>(a), static_cast<int>(nic));
        ASSERT_TRUE(found.has_value());
        ASSERT_EQ(FormatLink(found->link), inventory.nics[nic].to_cards[a]) << "round " << round;
      }
      if (numa[a] >= 0) {
        ASSERT_TRUE(graph.CardToNuma(static_cast<int>(a), numa[a]).has_value());
      }
    }
  }
}

TEST(DescribeInventory, RefusesNicsAndFiguresThatDoNotFitTheCards) {
  model::Inventory inventory = InventoryOf("NV1,NV1,NV1", {0, 0, 0});
  inventory.gbps = {1, 2};
  EXPECT_EQ(NodeTopology::Create(inventory).status().message(),
            "gbps has 2 entries; 3 cards need 3, one for each pair");
  inventory.gbps.clear();
  inventory.nics = {{"mlx5_0", "", 0, {"PIX"}}};
  EXPECT_EQ(NodeTopology::Create(inventory).status().message(),
            "NIC mlx5_0 has 1 classes; 3 cards need one each");
  inventory.nics = {{"mlx5_0", "", 0, {"PIX", "PIX", "FAR"}}};
  EXPECT_EQ(NodeTopology::Create(inventory).status().message(),
            "NIC mlx5_0: link is \"FAR\", not a link class; use NV1 to NV36, C2C, PIX, PXB, PHB, "
            "NODE or SYS");
}

TEST(DescribeInventory, MeasuredFiguresOverrideTheClassOrder) {
  model::Inventory inventory = InventoryOf("PIX,NODE,NODE", {0, 0, 0});
  inventory.gbps = {26, 52, 0};
  const auto node = NodeTopology::Create(inventory).value();
  EXPECT_EQ(node->link(0, 1).gbps, 26);
  EXPECT_EQ(node->link(2, 0).gbps, 52);
  EXPECT_EQ(node->link(1, 2).gbps, kNodeGbps);  // not measured
  EXPECT_EQ(BestSet(*node, 0b111, 2), (std::vector<int>{0, 2}));
}

TEST(FillInventory, GivesTheInventoryWhatTheFileSays) {
  const Description description = Read("nccl/aws-p4d-24xl-topo.xml").value();
  model::Inventory inventory = InventoryOf("", std::vector<int>(8, -1));
  ASSERT_TRUE(FillInventory(description, inventory).ok());
  EXPECT_EQ(inventory.links[0], "PIX");
  EXPECT_EQ(inventory.cards[7].numa, 1);
  EXPECT_EQ(inventory.nics.size(), 4u);
  EXPECT_EQ(Join(inventory.nics[0].to_cards, ","), "PIX,PIX,PHB,PHB,SYS,SYS,SYS,SYS");
  model::Inventory other = InventoryOf("", {0, 0});
  EXPECT_EQ(FillInventory(description, other).message(),
            "the inventory has 2 cards and the topology 8; give a topology of the same node");
}

}  // namespace
}  // namespace aliquot::topology
