// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "tests/unit/topology/inventories.h"
#include "topology/node_topology.h"

namespace aliquot::topology {
namespace {

TEST(Catalog, NodesOfOneShapeShareOneTopology) {
  Catalog catalog;
  model::Inventory first = InventoryOf("NV4,SYS,SYS", {0, 0, 1});
  model::Inventory second = first;
  second.cards[0].uuid = "GPU-of-another-node";
  EXPECT_EQ(catalog.For(first).value(), catalog.For(second).value());
}

TEST(Catalog, OtherLinksOrNumaNodesAreAnotherShape) {
  Catalog catalog;
  const auto first = catalog.For(InventoryOf("NV4,SYS,SYS", {0, 0, 1})).value();
  EXPECT_NE(catalog.For(InventoryOf("NV2,SYS,SYS", {0, 0, 1})).value(), first);
  EXPECT_NE(catalog.For(InventoryOf("NV4,SYS,SYS", {0, 0, 0})).value(), first);
}

TEST(Catalog, OtherMeasuredFiguresOrNicsAreAnotherShape) {
  Catalog catalog;
  model::Inventory inventory = InventoryOf("NV4,SYS,SYS", {0, 0, 1});
  const auto first = catalog.For(inventory).value();
  inventory.gbps = {90, 10, 0};
  model::SetShape(inventory);
  const auto measured = catalog.For(inventory).value();
  EXPECT_NE(measured, first);
  EXPECT_EQ(measured->link(0, 1).gbps, 90);
  inventory.nics = {{"mlx5_0", "", 0, {"PIX", "PIX", "SYS"}}};
  model::SetShape(inventory);
  EXPECT_NE(catalog.For(inventory).value(), measured);
}

TEST(Catalog, AnUnreadableInventoryIsAnErrorEachTime) {
  Catalog catalog;
  EXPECT_FALSE(catalog.For(InventoryOf("BAD", {0, 0})).ok());
  EXPECT_FALSE(catalog.For(InventoryOf("BAD", {0, 0})).ok());
}

TEST(Catalog, ThreadsGetTheSameTopologyAndTheSameAnswer) {
  Catalog catalog;
  const model::Inventory inventory = InventoryOf("", std::vector<int>(8, 0));
  std::vector<std::shared_ptr<const NodeTopology>> seen(4);
  std::vector<CardSet> chosen(seen.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    threads.emplace_back([&, i] {
      seen[i] = catalog.For(inventory).value();
      chosen[i] = seen[i]->chooser().Choose({0xff, 4}).set;
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i], seen[0]);
    EXPECT_EQ(chosen[i], CardSet{0b1111});
  }
}

}  // namespace
}  // namespace aliquot::topology
