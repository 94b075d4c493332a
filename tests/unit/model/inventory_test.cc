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

TEST(Inventory, NicsAndMeasuredFiguresArePartOfTheShapeTheirNamesAreNot) {
  Inventory a;
  a.cards.resize(2);
  a.nics = {{"mlx5_0", "0000:03:00.0", 0, {"PIX", "SYS"}}};
  a.gbps = {50};
  Inventory b = a;
  b.nics[0].name = "mlx5_7";
  b.nics[0].pci = "0000:04:00.0";
  SetShape(a);
  SetShape(b);
  EXPECT_EQ(a.shape, b.shape);
  b.nics[0].to_cards[1] = "NODE";
  SetShape(b);
  EXPECT_NE(a.shape, b.shape);
  b = a;
  b.gbps[0] = 51;
  SetShape(b);
  EXPECT_NE(a.shape, b.shape);
}

TEST(SameInventory, ComparesNicsAndMeasuredFigures) {
  auto a = std::make_shared<Inventory>();
  a->cards.resize(2);
  a->nics = {{"mlx5_0", "", 0, {"PIX", "SYS"}}};
  a->gbps = {50};
  auto b = std::make_shared<Inventory>(*a);
  EXPECT_TRUE(SameInventory(a, b));
  b->gbps[0] = 51;
  EXPECT_FALSE(SameInventory(a, b));
  *b = *a;
  b->nics[0].name = "mlx5_1";
  EXPECT_FALSE(SameInventory(a, b));
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
