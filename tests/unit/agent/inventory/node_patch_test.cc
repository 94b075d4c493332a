// SPDX-License-Identifier: Apache-2.0
#include "agent/inventory/node_patch.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace aliquot::agent {
namespace {

using nlohmann::json;

NodeView Node() {
  NodeView node;
  node.name = "n1";
  node.uid = "u-1";
  node.resource_version = "77";
  return node;
}

NodeWish Wish() {
  NodeWish wish;
  wish.inventory = "{\"v\":1}";
  wish.startup_taint = "aliquot.io/agent-not-ready";
  return wish;
}

TEST(NodePatch, TheInventoryIsGuardedByTheUidAlone) {
  const NodePatch patch = PlanNodePatch(Node(), Wish());
  EXPECT_EQ(json::parse(patch.metadata), json::parse(R"({"metadata":{"uid":"u-1",
                 "annotations":{"aliquot.io/gpu-inventory":"{\"v\":1}"}}})"));
  EXPECT_EQ(patch.taints, "");
}

TEST(NodePatch, LabelsAreGuardedByTheVersionTheyWereJudgedBy) {
  NodeView node = Node();
  node.inventory = Wish().inventory;
  NodeWish wish = Wish();
  wish.labels = {{"nvidia.com/gpu.count", "4"}};
  EXPECT_EQ(json::parse(PlanNodePatch(node, wish).metadata),
            json::parse(R"({"metadata":{"uid":"u-1","resourceVersion":"77",
                 "annotations":{"aliquot.io/gpu-labels":"{\"nvidia.com/gpu.count\":\"4\"}"},
                 "labels":{"nvidia.com/gpu.count":"4"}}})"));
}

TEST(NodePatch, ALabelThatIsNotWantedAnyMoreIsRemovedWithItsMemory) {
  NodeView node = Node();
  node.inventory = Wish().inventory;
  node.labels = {{"nvidia.com/gpu.count", "4"}};
  node.gpu_labels = R"({"nvidia.com/gpu.count":"4"})";
  EXPECT_EQ(json::parse(PlanNodePatch(node, Wish()).metadata),
            json::parse(R"({"metadata":{"uid":"u-1","resourceVersion":"77",
                 "annotations":{"aliquot.io/gpu-labels":null},
                 "labels":{"nvidia.com/gpu.count":null}}})"));
}

TEST(NodePatch, NothingIsPlannedForANodeThatSaysItAll) {
  NodeView node = Node();
  node.inventory = Wish().inventory;
  node.taints = {{"other", "NoSchedule"}};
  EXPECT_TRUE(PlanNodePatch(node, Wish()).empty());
}

TEST(NodePatch, TheStartupTaintStaysUntilTheInventoryIsThere) {
  NodeView node = Node();
  node.taints = {{"aliquot.io/agent-not-ready", "NoSchedule"}};
  EXPECT_EQ(PlanNodePatch(node, Wish()).taints, "");
  node.inventory = Wish().inventory;
  EXPECT_EQ(json::parse(PlanNodePatch(node, Wish()).taints), json::parse(R"([
      {"op":"test","path":"/metadata/uid","value":"u-1"},
      {"op":"test","path":"/spec/taints/0/key","value":"aliquot.io/agent-not-ready"},
      {"op":"test","path":"/spec/taints/0/effect","value":"NoSchedule"},
      {"op":"remove","path":"/spec/taints/0"}])"));
}

TEST(NodePatch, TaintsGoFromTheLastToTheFirst) {
  NodeView node = Node();
  node.inventory = Wish().inventory;
  node.taints = {{"aliquot.io/agent-not-ready", "NoSchedule"},
                 {"other", "NoSchedule"},
                 {"aliquot.io/agent-not-ready", "NoExecute"}};
  const json patch = json::parse(PlanNodePatch(node, Wish()).taints);
  ASSERT_EQ(patch.size(), 7u);
  EXPECT_EQ(patch[3]["path"], "/spec/taints/2");
  EXPECT_EQ(patch[6]["path"], "/spec/taints/0");
}

TEST(NodePatch, WithoutAConfiguredTaintNoneIsTouched) {
  NodeView node = Node();
  node.inventory = Wish().inventory;
  node.taints = {{"", "NoSchedule"}};
  NodeWish wish = Wish();
  wish.startup_taint.clear();
  EXPECT_TRUE(PlanNodePatch(node, wish).empty());
}

}  // namespace
}  // namespace aliquot::agent
