// SPDX-License-Identifier: Apache-2.0
#include "api/node_codec.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace aliquot::api {
namespace {

constexpr char kInventory[] =
    R"({"v":1,"driver":"550.54","models":["A100"],"cards":[["GPU-a",0,0,81920,"0000:01:00.0",0,"8.0","ok",""]],"links":""})";

std::string NodeWith(const std::string& inventory) {
  const nlohmann::json node = {{"metadata",
                                {{"name", "n1"},
                                 {"uid", "u"},
                                 {"resourceVersion", "7"},
                                 {"annotations", {{"aliquot.io/gpu-inventory", inventory}}}}}};
  return node.dump();
}

TEST(ParseNode, ReadsNameCordonAndInventory) {
  const auto node = ParseNode(NodeWith(kInventory));
  ASSERT_TRUE(node.ok()) << node.status().ToString();
  EXPECT_EQ(node->name, "n1");
  EXPECT_EQ(node->resource_version, "7");
  EXPECT_FALSE(node->unschedulable);
  ASSERT_NE(node->inventory, nullptr);
  EXPECT_EQ(node->inventory->cards[0].uuid, "GPU-a");
  EXPECT_TRUE(ParseNode(R"({"spec":{"unschedulable":true}})")->unschedulable);
}

TEST(ParseNode, WhatCanBeAllocatedIsRoundedDown) {
  const auto node = ParseNode(
      R"({"status":{"allocatable":{"cpu":"95900m","memory":"402653183Ki","pods":"110"}}})");
  ASSERT_TRUE(node.ok()) << node.status().ToString();
  // 402,653,183 KiB / 1024 = 393,215.99
  EXPECT_EQ(node->allocatable, (model::HostAmount{95'900, 393'215}));
}

TEST(ParseNode, ANodeThatDoesNotSayBothFiguresSaysNeither) {
  EXPECT_EQ(ParseNode("{}")->allocatable, std::nullopt);
  EXPECT_EQ(ParseNode(R"({"status":{"allocatable":{"cpu":"4"}}})")->allocatable, std::nullopt);
}

TEST(ParseNode, AMissingInventoryIsNoProblemAnUnreadableOneIsNamed) {
  const auto missing = ParseNode(R"({"metadata":{"name":"n1"}})");
  ASSERT_TRUE(missing.ok());
  EXPECT_EQ(missing->inventory, nullptr);
  EXPECT_EQ(missing->inventory_problem, "");

  const auto damaged = ParseNode(NodeWith("{\"v\":1"));
  ASSERT_TRUE(damaged.ok());
  EXPECT_EQ(damaged->inventory, nullptr);
  EXPECT_EQ(damaged->inventory_problem,
            "the inventory is not JSON, or is cut short; send one complete JSON value");

  const auto future = ParseNode(NodeWith("{\"v\":2}"));
  EXPECT_EQ(
      future->inventory_problem,
      "the inventory: v is 2; this version reads 1, so upgrade the allocator or the node's agent");

  const auto empty = ParseNode(NodeWith(""));
  EXPECT_EQ(empty->inventory_problem, "the inventory is empty; send JSON");
}

TEST(ParseNode, AWrongTypeIsRefused) {
  EXPECT_EQ(ParseNode(R"({"spec":{"unschedulable":"yes"}})").status().message(),
            "the node: spec.unschedulable is a string; it must be true or false");
}

}  // namespace
}  // namespace aliquot::api
