// SPDX-License-Identifier: Apache-2.0
#include "agent/inventory/node_view.h"

#include <gtest/gtest.h>

#include <string>

namespace aliquot::agent {
namespace {

constexpr char kNode[] = R"({
  "apiVersion":"v1","kind":"Node",
  "metadata":{"name":"n1","uid":"u-1","resourceVersion":"77",
    "labels":{"kubernetes.io/hostname":"n1","nvidia.com/gpu.product":"Tesla-T4",
              "nvidia-device-enable":"enable"},
    "annotations":{"aliquot.io/gpu-inventory":"{\"v\":1}","aliquot.io/gpu-labels":"{}",
                   "other":"x"}},
  "spec":{"unschedulable":true,
    "taints":[{"key":"a","effect":"NoSchedule"},
              {"key":"b","value":"v","effect":"NoExecute","timeAdded":"2024-01-01T00:00:00Z"}]},
  "status":{"capacity":{"cpu":"64","nvidia.com/gpu":"8","tencent.com/vcuda-core":"800"},
    "allocatable":{"cpu":"63500m","nvidia.com/gpu":"0","tencent.com/vcuda-memory":"16k"},
    "nodeInfo":{"containerRuntimeVersion":"containerd://1.7.22","kubeletVersion":"v1.34.1"}}})";

TEST(NodeView, ReadsWhatTheAgentNeeds) {
  const auto node = ParseNodeView(kNode);
  ASSERT_TRUE(node.ok()) << node.status().message();
  EXPECT_EQ(node->name, "n1");
  EXPECT_EQ(node->uid, "u-1");
  EXPECT_EQ(node->resource_version, "77");
  EXPECT_EQ(node->inventory, "{\"v\":1}");
  EXPECT_EQ(node->gpu_labels, "{}");
  EXPECT_TRUE(node->unschedulable);
  EXPECT_EQ(node->container_runtime, "containerd://1.7.22");
  EXPECT_EQ(node->kubelet, "v1.34.1");
}

// The kubelet writes the word for the version while the runtime is down.
TEST(NodeView, ARuntimeThatDoesNotAnswerTheKubeletIsNotTold) {
  const auto runtime = [](const std::string& told) {
    return ParseNodeView(
               R"({"metadata":{"name":"n1"},"status":{"nodeInfo":{"containerRuntimeVersion":")" +
               told + R"("}}})")
        ->container_runtime;
  };
  EXPECT_EQ(runtime("containerd://Unknown"), "");
  EXPECT_EQ(runtime("cri-o://Unknown"), "");
  EXPECT_EQ(runtime("://Unknown"), "");
  EXPECT_EQ(runtime("Unknown"), "Unknown");
  EXPECT_EQ(runtime("containerd://Unknown.1"), "containerd://Unknown.1");
}

TEST(NodeView, KeepsOnlyTheLabelsThatItJudgesBy) {
  const auto node = ParseNodeView(kNode);
  ASSERT_TRUE(node.ok());
  EXPECT_EQ(node->labels.size(), 2u);
  EXPECT_EQ(node->Label("nvidia.com/gpu.product"), "Tesla-T4");
  EXPECT_EQ(node->Label("nvidia-device-enable"), "enable");
  EXPECT_EQ(node->Label("kubernetes.io/hostname"), "");
}

TEST(NodeView, KeepsTaintsInTheirOrder) {
  const auto node = ParseNodeView(kNode);
  ASSERT_TRUE(node.ok());
  ASSERT_EQ(node->taints.size(), 2u);
  EXPECT_EQ(node->taints[0].key, "a");
  EXPECT_EQ(node->taints[1].key, "b");
  EXPECT_EQ(node->taints[1].effect, "NoExecute");
}

// Capacity says 8, allocatable 0: the plugin is gone for the moment, its cards are not ours yet.
TEST(NodeView, CountsExtendedResourcesInWholeUnits) {
  const auto node = ParseNodeView(kNode);
  ASSERT_TRUE(node.ok());
  EXPECT_EQ(node->Advertised("nvidia.com/gpu"), 8);
  EXPECT_EQ(node->allocatable.at("nvidia.com/gpu"), 0);
  EXPECT_EQ(node->Advertised("tencent.com/vcuda-memory"), 16000);
  EXPECT_EQ(node->capacity.count("cpu"), 0u);
  EXPECT_EQ(node->Advertised("nvidia.com/mig-1g.5gb"), 0);
}

TEST(NodeView, ANodeThatSaysNothingIsStillANode) {
  const auto node = ParseNodeView(R"({"metadata":{"name":"n1"}})");
  ASSERT_TRUE(node.ok()) << node.status().message();
  EXPECT_EQ(node->inventory, "");
  EXPECT_TRUE(node->taints.empty());
}

TEST(NodeView, RefusesWhatIsNoNodeWithOneSentence) {
  EXPECT_FALSE(ParseNodeView("").ok());
  EXPECT_FALSE(ParseNodeView("[]").ok());
  EXPECT_EQ(ParseNodeView("{}").status().message(),
            "the node: metadata.name is missing; expected a Node of the API server");
  EXPECT_FALSE(ParseNodeView(R"({"metadata":{"name":"n","labels":[]}})").ok());
  EXPECT_FALSE(ParseNodeView(R"({"metadata":{"name":"n"},"spec":{"taints":{}}})").ok());
}

TEST(NodeView, WhatIsNoQuantityCountsAsNothing) {
  const auto node = ParseNodeView(
      R"({"metadata":{"name":"n"},"status":{"capacity":{"nvidia.com/gpu":"many","a/b":"-3"}}})");
  ASSERT_TRUE(node.ok()) << node.status().message();
  EXPECT_EQ(node->Advertised("nvidia.com/gpu"), 0);
  EXPECT_EQ(node->Advertised("a/b"), 0);
}

}  // namespace
}  // namespace aliquot::agent
