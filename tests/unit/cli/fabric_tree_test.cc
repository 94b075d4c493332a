// SPDX-License-Identifier: Apache-2.0
#include "cli/fabric_tree.h"

#include <gtest/gtest.h>

namespace aliquot::cli {
namespace {

using topology::Fabric;
using topology::LinkClass;
using topology::MakeLink;
using topology::VertexKind;

// NUMA 0 - bridge - switch - two cards; NUMA 1 - one card; both NUMA nodes linked; the first two
// cards have an NVLink; an NVSwitch stands beside.
struct Sample {
  Fabric fabric;
  int numa0, numa1, bridge, pcie, card0, card1, card2, nvswitch;

  Sample() {
    card0 = fabric.Add(VertexKind::kCard, 0, "GPU0");
    card1 = fabric.Add(VertexKind::kCard, 1, "GPU1");
    card2 = fabric.Add(VertexKind::kCard, 2, "GPU2");
    numa1 = fabric.Add(VertexKind::kNumaNode, 1, "NUMA node 1");
    numa0 = fabric.Add(VertexKind::kNumaNode, 0, "NUMA node 0");
    bridge = fabric.Add(VertexKind::kHostBridge, 0, "host bridge 0");
    pcie = fabric.Add(VertexKind::kPcieSwitch, 0, "PCIe switch 0");
    nvswitch = fabric.Add(VertexKind::kNvSwitch, 0, "NVSwitch 0");
    fabric.Connect(card0, card1, MakeLink(LinkClass::kNvlink, 2));  // wire 0
    fabric.Connect(card0, pcie, MakeLink(LinkClass::kPix));
    fabric.Connect(pcie, card1, MakeLink(LinkClass::kPix));
    fabric.Connect(pcie, bridge, MakeLink(LinkClass::kPhb));
    fabric.Connect(bridge, numa0, MakeLink(LinkClass::kNode));
    fabric.Connect(card2, numa1, MakeLink(LinkClass::kNode));
    fabric.Connect(numa0, numa1, MakeLink(LinkClass::kSys));           // wire 6
    fabric.Connect(card2, nvswitch, MakeLink(LinkClass::kNvlink, 4));  // wire 7
  }
};

std::vector<int> ChildrenOf(const FabricTree& tree, int vertex) {
  return tree.children[static_cast<std::size_t>(vertex)];
}

TEST(FabricTree, HangsCardsBelowSwitchesBelowBridgesBelowNumaNodes) {
  const Sample sample;
  const FabricTree tree = TreeOf(sample.fabric);
  EXPECT_EQ(tree.roots, (std::vector<int>{sample.numa0, sample.numa1}));
  EXPECT_EQ(ChildrenOf(tree, sample.numa0), (std::vector<int>{sample.bridge}));
  EXPECT_EQ(ChildrenOf(tree, sample.bridge), (std::vector<int>{sample.pcie}));
  EXPECT_EQ(ChildrenOf(tree, sample.pcie), (std::vector<int>{sample.card0, sample.card1}));
  EXPECT_EQ(ChildrenOf(tree, sample.numa1), (std::vector<int>{sample.card2}));
}

TEST(FabricTree, KeepsWhatIsNoTreeBeside) {
  const Sample sample;
  const FabricTree tree = TreeOf(sample.fabric);
  EXPECT_EQ(tree.nvswitches, (std::vector<int>{sample.nvswitch}));
  EXPECT_EQ(tree.other_wires, (std::vector<int>{0, 6, 7}));
}

TEST(FabricTree, ShowsVerticesWithoutAnyWireAsRoots) {
  Fabric fabric;
  const int card = fabric.Add(VertexKind::kCard, 0, "GPU0");
  const int nic = fabric.Add(VertexKind::kNic, 0, "mlx5_0");
  EXPECT_EQ(TreeOf(fabric).roots, (std::vector<int>{card, nic}));
}

}  // namespace
}  // namespace aliquot::cli
