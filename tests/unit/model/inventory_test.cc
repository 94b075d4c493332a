// SPDX-License-Identifier: Apache-2.0
#include "model/inventory.h"

#include <gtest/gtest.h>

namespace aliquot::model {
namespace {

TEST(Inventory, NodesOfOneShapeShareItWhateverTheirCards) {
  Inventory a;
  a.cards.resize(2);
  a.cards[0].uuid = "GPU-a";
  a.links = {"NV4"};
  Inventory b = a;
  b.cards[0].uuid = "GPU-b";
  SetShape(a);
  SetShape(b);
  EXPECT_EQ(a.shape, b.shape);
  b.links = {"SYS"};
  SetShape(b);
  EXPECT_NE(a.shape, b.shape);
}

TEST(Card, IsUsableOnlyWhenHealthyAndOurs) {
  Card card;
  card.health = "ok";
  EXPECT_TRUE(card.usable());
  card.mode = "mig";
  EXPECT_FALSE(card.usable());
  card.mode = "none";
  card.health = "xid";
  EXPECT_FALSE(card.usable());
}

}  // namespace
}  // namespace aliquot::model
