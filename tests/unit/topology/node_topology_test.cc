// SPDX-License-Identifier: Apache-2.0
#include "topology/node_topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/topology/inventories.h"
#include "tests/unit/topology/real_matrices.h"

namespace aliquot::topology {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::size_t kDgx1v = 0;
constexpr std::size_t kH100Bridges = 2;

std::shared_ptr<const NodeTopology> Real(std::size_t index) {
  const RealMatrix& matrix = RealMatrices()[index];
  return TopologyOf(matrix.links, matrix.numa);
}

TEST(NodeTopology, LinksAreReadRowByRowAndCountBothWays) {
  const auto node = TopologyOf("NV1,NV2,PIX,PHB,NODE,SYS", {0, 0, 1, 1});
  EXPECT_EQ(FormatLink(node->link(0, 3)), "PIX");
  EXPECT_EQ(FormatLink(node->link(3, 0)), "PIX");
  EXPECT_EQ(FormatLink(node->link(1, 2)), "PHB");
  EXPECT_EQ(FormatLink(node->link(2, 3)), "SYS");
}

TEST(NodeTopology, NamesThePairWhoseLinkIsNotAClass) {
  const auto created = NodeTopology::Create(InventoryOf("NV1,NV2,BAD", {0, 0, 0}));
  ASSERT_FALSE(created.ok());
  EXPECT_EQ(created.status().message(),
            "cards 1 and 2: link is \"BAD\", not a link class; use NV1 to NV36, C2C, PIX, PXB, "
            "PHB, NODE or SYS");
}

TEST(NodeTopology, RefusesATriangleOfTheWrongLength) {
  const auto created = NodeTopology::Create(InventoryOf("NV1,NV2", {0, 0, 0}));
  ASSERT_FALSE(created.ok());
  EXPECT_EQ(created.status().message(), "links has 2 entries; 3 cards need 3, one for each pair");
}

TEST(NodeTopology, RefusesMoreCardsThanASetHolds) {
  EXPECT_FALSE(NodeTopology::Create(InventoryOf("", std::vector<int>(65, 0))).ok());
  EXPECT_TRUE(NodeTopology::Create(InventoryOf("", std::vector<int>(64, 0))).ok());
}

TEST(NodeTopology, WithoutLinksCardsOfOneNumaNodeAreNode) {
  const auto node = TopologyOf("", {0, 0, 1, -1, -1});
  EXPECT_EQ(FormatLink(node->link(0, 1)), "NODE");
  EXPECT_EQ(FormatLink(node->link(1, 2)), "SYS");
  // Two unknown nodes need not be the same one.
  EXPECT_EQ(FormatLink(node->link(3, 4)), "SYS");
}

TEST(NodeTopology, ConnectednessOfFourCards) {
  // 0-1 NV4 (100), 0-2 PIX (24), 0-3 SYS (16), 1-2 SYS (16), 1-3 PIX (24), 2-3 NV4 (100).
  // Ring 0-1-3-2: 100, 24, 100, 24; its smallest edge is 24. Sum 280.
  const auto node = TopologyOf("NV4,PIX,SYS,SYS,PIX,NV4", {0, 0, 1, -1});
  const Connectedness all = node->Of(0b1111);
  EXPECT_EQ(all.ring_gbps, 24);
  EXPECT_EQ(all.total_gbps, 280);
  EXPECT_EQ(all.numa_nodes, 3);
}

TEST(NodeTopology, APairIsItsLinkAndOneCardHasNoRing) {
  const auto node = TopologyOf("NV4,SYS,SYS", {0, 0, 1});
  EXPECT_EQ(node->Of(0b011).ring_gbps, 100);
  EXPECT_EQ(node->Of(0b011).numa_nodes, 1);
  EXPECT_EQ(node->Of(0b001).ring_gbps, 0);
  EXPECT_EQ(node->Of(0b001).total_gbps, 0);
  EXPECT_EQ(node->Of(0b001).numa_nodes, 1);
}

TEST(NodeTopology, LinksBetweenOneCardAndOthersAddUp) {
  // Of card 1: NV4 to 0 (100), SYS to 2 (16), PIX to 3 (24).
  const auto node = TopologyOf("NV4,PIX,SYS,SYS,PIX,NV4", {0, 0, 1, 1});
  EXPECT_EQ(node->LinksBetween(1, 0b1101), 140);
  EXPECT_EQ(node->LinksBetween(1, 0b0100), 16);
  EXPECT_EQ(node->LinksBetween(1, 0), 0);
  // 20 cards have no table.
  EXPECT_EQ(TopologyOf("", std::vector<int>(20, 0))->LinksBetween(19, 0b111), 3 * kNodeGbps);
}

TEST(NodeTopology, BetterThanComparesRingThenSumThenNumaNodes) {
  EXPECT_TRUE((Connectedness{25, 10, 9}).BetterThan({24, 99, 1}));
  EXPECT_TRUE((Connectedness{25, 11, 9}).BetterThan({25, 10, 1}));
  EXPECT_TRUE((Connectedness{25, 10, 1}).BetterThan({25, 10, 2}));
  EXPECT_FALSE((Connectedness{25, 10, 1}).BetterThan({25, 10, 1}));
}

TEST(BestSet, TakesTheDoubleLinkOfADgx) {
  // The first NV2 pair in index order is 0-3 (0-1 and 0-2 are NV1).
  EXPECT_THAT(BestSet(*Real(kDgx1v), 0xff, 2), ElementsAre(0, 3));
}

TEST(BestSet, TakesTheFullyLinkedFourOfADgx) {
  // Cards 0-3: ring 0-3-1-2-0 would need 1-3 (NV1); every ring of the four has an NV1 edge: 25.
  // Another four with a ring of NV2 only: 0-4-7-6-5-1-2-3 is the NV2 cycle of the box, so no four.
  // Sum of 0-3: NV1 x3 + NV2 x3 = 75 + 150 = 225, the largest; 4-7 is equal and comes later.
  EXPECT_THAT(BestSet(*Real(kDgx1v), 0xff, 4), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(Real(kDgx1v)->Of(0x0f).ring_gbps, 25);
  EXPECT_EQ(Real(kDgx1v)->Of(0x0f).total_gbps, 225);
}

TEST(BestSet, AllEightOfADgxHaveARingOfDoubleLinks) {
  // 0-3-2-1-5-6-7-4-0: NV2 each, 50 GB/s.
  EXPECT_EQ(Real(kDgx1v)->Of(0xff).ring_gbps, 50);
}

TEST(BestSet, AnNvlinkBridgeAcrossNumaNodesBeatsNeighboursWithoutOne) {
  // Only 0, 5 and 3 are free: 0-5 is NV12 across NUMA nodes, 3-5 is NODE.
  EXPECT_THAT(BestSet(*Real(kH100Bridges), 0b101001, 2), ElementsAre(0, 5));
}

TEST(BestSet, PrefersOneNumaNodeWhenLinksSayNothing) {
  const auto node = TopologyOf("SYS,SYS,SYS,SYS,SYS,SYS", {0, 1, 1, 0});
  EXPECT_THAT(BestSet(*node, 0b1111, 2), ElementsAre(0, 3));
}

TEST(BestSet, TiesGoToTheLowestIndices) {
  const auto node = TopologyOf("NV18,NV18,NV18,NV18,NV18,NV18", {0, 0, 0, 0});
  EXPECT_THAT(BestSet(*node, 0b1111, 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(BestSet(*node, 0b1110, 2), ElementsAre(1, 2));
  EXPECT_THAT(BestSet(*node, 0b1111, 1), ElementsAre(0));
}

TEST(BestSet, IsEmptyWhenFreeHasTooFewOrNoneAreAsked) {
  const auto node = TopologyOf("NV18,NV18,NV18", {0, 0, 0});
  EXPECT_THAT(BestSet(*node, 0b011, 3), IsEmpty());
  EXPECT_THAT(BestSet(*node, 0b111, 0), IsEmpty());
  EXPECT_THAT(BestSet(*node, 0b111, -1), IsEmpty());
  // Bits above the node's cards are not cards.
  EXPECT_THAT(BestSet(*node, ~CardSet{0b001}, 3), IsEmpty());
}

TEST(BestSet, OnMoreThanSixteenCardsStaysOnOneNumaNodeToo) {
  // 20 cards on two NUMA nodes without links, so NODE inside 0-9 and inside 10-19. Of 8 and 9 there
  // are two only: four of NODE are on the other node.
  std::vector<int> numa(10, 0);
  numa.insert(numa.end(), 10, 1);
  const auto node = TopologyOf("", numa);
  EXPECT_THAT(BestSet(*node, 0xfffff & ~CardSet{0b11111111}, 4), ElementsAre(10, 11, 12, 13));
  EXPECT_THAT(BestSet(*node, 0xfffff & ~CardSet{0b11111111}, 2), ElementsAre(8, 9));
  EXPECT_EQ(node->Of(0b1111).ring_gbps, kNodeGbps);
  EXPECT_EQ(node->Of(0b1111).numa_nodes, 1);
}

}  // namespace
}  // namespace aliquot::topology
