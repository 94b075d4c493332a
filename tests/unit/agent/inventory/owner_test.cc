// SPDX-License-Identifier: Apache-2.0
#include "agent/inventory/owner.h"

#include <gtest/gtest.h>

namespace aliquot::agent {
namespace {

using State = OwnerVerdict::State;

NodeView WithLabel(const char* key, const char* value) {
  NodeView node;
  node.labels[key] = value;
  return node;
}

TEST(Owner, CardsAreOursWhereNobodyElseIs) {
  EXPECT_EQ(JudgeOwner(NodeView(), {}, ""), OwnerVerdict());
}

TEST(Owner, AnotherPluginsResourceRefusesWithTheRemedy) {
  NodeView node;
  node.capacity["nvidia.com/gpu"] = 8;
  const OwnerVerdict verdict = JudgeOwner(node, {}, "");
  EXPECT_EQ(verdict.state, State::kForeign);
  EXPECT_EQ(verdict.word, "foreign");
  EXPECT_EQ(verdict.sentence,
            "the node advertises 8 nvidia.com/gpu, so another plugin hands out this node's cards; "
            "take that plugin off this node (GPU Operator: label it "
            "nvidia.com/gpu.deploy.device-plugin=false), or list the cards that are ours in "
            "cards.include");
}

TEST(Owner, AResourceOfWhichThereIsNoneIsNoPlugin) {
  NodeView node;
  node.capacity["nvidia.com/gpu"] = 0;
  node.allocatable["nvidia.com/gpu"] = 0;
  EXPECT_EQ(JudgeOwner(node, {}, "").state, State::kOurs);
}

TEST(Owner, ARenamedSharedResourceIsAPluginToo) {
  NodeView node;
  node.allocatable["nvidia.com/gpu.shared"] = 40;
  EXPECT_EQ(JudgeOwner(node, {}, "").state, State::kForeign);
}

TEST(Owner, GpuManagerIsSeenByItsSocketOrItsLabel) {
  EXPECT_EQ(JudgeOwner(NodeView(), {}, "/p/vcore.sock").sentence,
            "gpu-manager listens on /p/vcore.sock, so another plugin hands out this node's cards; "
            "take gpu-manager off this node, or list the cards that are ours in cards.include");
  EXPECT_EQ(JudgeOwner(WithLabel("nvidia-device-enable", "enable"), {}, "").state, State::kForeign);
  EXPECT_EQ(JudgeOwner(WithLabel("nvidia-device-enable", "disable"), {}, "").state, State::kOurs);
}

TEST(Owner, AListOfOurCardsSettlesIt) {
  NodeView node = WithLabel("nvidia-device-enable", "enable");
  node.capacity["nvidia.com/gpu"] = 4;
  EXPECT_EQ(JudgeOwner(node, {"GPU-1"}, "/p/vcore.sock").state, State::kOurs);
}

TEST(Owner, TheDriverIsLetGoWhileItIsReplaced) {
  const OwnerVerdict verdict = JudgeOwner(
      WithLabel("nvidia.com/gpu-driver-upgrade-state", "pod-restart-required"), {"GPU-1"}, "");
  EXPECT_EQ(verdict.state, State::kReleased);
  EXPECT_EQ(verdict.word, "driver-upgrade");
  EXPECT_EQ(verdict.sentence,
            "the node's label nvidia.com/gpu-driver-upgrade-state is pod-restart-required: the "
            "driver is being replaced, so it is let go and no card is handed out; this ends when "
            "the label says upgrade-done");
}

// All nodes of a cluster wait for their turn at once, for hours.
TEST(Owner, ANodeThatWaitsForItsUpgradeGoesOn) {
  for (const char* state : {"", "upgrade-done", "upgrade-required"}) {
    EXPECT_EQ(JudgeOwner(WithLabel("nvidia.com/gpu-driver-upgrade-state", state), {}, "").state,
              State::kOurs)
        << state;
  }
}

TEST(Owner, TheDriverIsLetGoWhileMigIsSetUp) {
  for (const char* state : {"pending", "rebooting"}) {
    const auto verdict = JudgeOwner(WithLabel("nvidia.com/mig.config.state", state), {}, "");
    EXPECT_EQ(verdict.state, State::kReleased) << state;
    EXPECT_EQ(verdict.word, "mig-config");
  }
  for (const char* state : {"success", "failed"}) {
    EXPECT_EQ(JudgeOwner(WithLabel("nvidia.com/mig.config.state", state), {}, "").state,
              State::kOurs)
        << state;
  }
}

}  // namespace
}  // namespace aliquot::agent
