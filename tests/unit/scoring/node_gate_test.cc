// SPDX-License-Identifier: Apache-2.0
#include "scoring/node_gate.h"

#include <gtest/gtest.h>

#include "tests/unit/scoring/test_nodes.h"

namespace aliquot::scoring {
namespace {

TEST(CheckNode, PassesAHealthyNode) {
  EXPECT_EQ(CheckNode(TestNode({Card(16384)}).state(), false), Refusal::kNone);
}

TEST(CheckNode, TellsAMissingInventoryFromAnUnreadableOne) {
  TestNode node({Card(16384)});
  node.set_inventory_problem("");
  EXPECT_EQ(CheckNode(node.state(), false), Refusal::kNoInventory);
  node.set_inventory_problem("v is 9, not a known version");
  EXPECT_EQ(CheckNode(node.state(), false), Refusal::kBadInventory);
}

TEST(CheckNode, MoreCardsThanASetHoldsIsABadInventory) {
  TestNode node({Card(16384)});
  node.cards().resize(65, Card(16384));
  EXPECT_EQ(CheckNode(node.state(), false), Refusal::kBadInventory);
}

TEST(CheckNode, ACordonIsPassedOnlyByWhoToleratesIt) {
  TestNode node({Card(16384)});
  node.facts().cordoned = true;
  EXPECT_EQ(CheckNode(node.state(), false), Refusal::kCordoned);
  EXPECT_EQ(CheckNode(node.state(), true), Refusal::kNone);
}

TEST(CheckNode, OneUsableCardIsEnough) {
  EXPECT_EQ(CheckNode(TestNode({UnusableCard(1), UnusableCard(1)}).state(), false),
            Refusal::kNoUsableCard);
  EXPECT_EQ(CheckNode(TestNode({}).state(), false), Refusal::kNoUsableCard);
  EXPECT_EQ(CheckNode(TestNode({UnusableCard(1), Card(1)}).state(), false), Refusal::kNone);
}

TEST(CheckNode, TheFirstReasonInOrderIsGiven) {
  // No inventory, leaving, closed, cordoned, no usable card: each hides the ones after it.
  TestNode node({UnusableCard(1)});
  EXPECT_EQ(CheckNode(node.state(), false), Refusal::kNoUsableCard);
  node.facts().cordoned = true;
  EXPECT_EQ(CheckNode(node.state(), false), Refusal::kCordoned);
  node.set_closed(true);
  EXPECT_EQ(CheckNode(node.state(), false), Refusal::kClosed);
  node.set_leaving();
  EXPECT_EQ(CheckNode(node.state(), false), Refusal::kLeaving);
  node.set_inventory_problem("");
  EXPECT_EQ(CheckNode(node.state(), false), Refusal::kNoInventory);
}

}  // namespace
}  // namespace aliquot::scoring
