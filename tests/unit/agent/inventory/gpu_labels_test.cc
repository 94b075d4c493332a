// SPDX-License-Identifier: Apache-2.0
#include "agent/inventory/gpu_labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/inventory/build_inventory.h"
#include "tests/unit/agent/inventory/machines.h"

namespace aliquot::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr char kProduct[] = "nvidia.com/gpu.product";
const LabelMap kWanted = {{kProduct, "Tesla-T4"}};
constexpr char kWrote[] = R"({"nvidia.com/gpu.product":"Tesla-T4"})";

NodeView Node(const LabelMap& labels, const std::string& remembered) {
  NodeView node;
  node.labels = labels;
  node.gpu_labels = remembered;
  return node;
}

TEST(GpuLabels, AModelIsWrittenAsFeatureDiscoveryWritesIt) {
  EXPECT_EQ(LabelOfModel("NVIDIA A100-SXM4-80GB"), "NVIDIA-A100-SXM4-80GB");
  EXPECT_EQ(LabelOfModel("NVIDIA RTX 6000 (Ada)"), "NVIDIA-RTX-6000-Ada");
  EXPECT_EQ(LabelOfModel("_x_"), "x");
  EXPECT_EQ(LabelOfModel("\xc3\xa9"), "");
  EXPECT_EQ(LabelOfModel(std::string(80, 'a')).size(), 63u);
}

TEST(GpuLabels, SayWhatTheCardsThatAreOursHaveInCommon) {
  model::Inventory inventory = BuildInventory(MachineOf(3), {}).inventory;
  EXPECT_THAT(WantedGpuLabels(inventory),
              ElementsAre(Pair("nvidia.com/gpu.count", "3"), Pair("nvidia.com/gpu.memory", "15360"),
                          Pair(kProduct, "Tesla-T4")));
  inventory.cards[0].mode = "mig";
  EXPECT_EQ(WantedGpuLabels(inventory).at("nvidia.com/gpu.count"), "2");
  inventory.cards[1].mib = 1;
  EXPECT_EQ(WantedGpuLabels(inventory).count("nvidia.com/gpu.memory"), 0u);
  inventory.cards[1].model = "Tesla V100";
  EXPECT_THAT(WantedGpuLabels(inventory), ElementsAre(Pair("nvidia.com/gpu.count", "2")));
  EXPECT_THAT(WantedGpuLabels(model::Inventory()), IsEmpty());
}

TEST(GpuLabels, AnUnhealthyCardStillCounts) {
  InventoryRules rules;
  rules.health = {{"GPU-a", "xid-79"}};
  EXPECT_EQ(
      WantedGpuLabels(BuildInventory(MachineOf(2), rules).inventory).at("nvidia.com/gpu.count"),
      "2");
}

TEST(GpuLabels, AreWrittenAndRememberedWhereThereAreNone) {
  const LabelPlan plan = PlanGpuLabels(kWanted, Node({}, ""));
  EXPECT_EQ(plan.changes.at(kProduct), "Tesla-T4");
  EXPECT_TRUE(plan.remember);
  EXPECT_EQ(plan.remembered, kWrote);
}

TEST(GpuLabels, NothingIsPlannedOnceTheyAreThere) {
  const LabelPlan plan = PlanGpuLabels(kWanted, Node({{kProduct, "Tesla-T4"}}, kWrote));
  EXPECT_THAT(plan.changes, IsEmpty());
  EXPECT_FALSE(plan.remember);
}

TEST(GpuLabels, ALabelThatWasThereBeforeUsIsTheirs) {
  const LabelPlan plan = PlanGpuLabels(kWanted, Node({{kProduct, "NVIDIA-T4"}}, ""));
  EXPECT_THAT(plan.changes, IsEmpty());
  EXPECT_FALSE(plan.remember);
}

TEST(GpuLabels, ALabelThatSomebodyChangedIsTheirsFromThenOn) {
  const LabelPlan plan = PlanGpuLabels(kWanted, Node({{kProduct, "mine"}}, kWrote));
  EXPECT_THAT(plan.changes, IsEmpty());
  EXPECT_TRUE(plan.remember);
  EXPECT_EQ(plan.remembered, "");
}

TEST(GpuLabels, ALabelThatSomebodyTookAwayStaysAway) {
  const LabelPlan plan = PlanGpuLabels(kWanted, Node({}, kWrote));
  EXPECT_THAT(plan.changes, IsEmpty());
  EXPECT_EQ(plan.remembered, R"({"nvidia.com/gpu.product":""})");
  const LabelPlan next = PlanGpuLabels(kWanted, Node({}, plan.remembered));
  EXPECT_THAT(next.changes, IsEmpty());
  EXPECT_FALSE(next.remember);
}

TEST(GpuLabels, OursFollowTheCards) {
  const NodeView node = Node({{kProduct, "Tesla-T4"}}, kWrote);
  EXPECT_EQ(PlanGpuLabels({{kProduct, "L4"}}, node).changes.at(kProduct), "L4");
  const LabelPlan none = PlanGpuLabels({}, node);
  EXPECT_EQ(none.changes.at(kProduct), std::nullopt);
  EXPECT_EQ(none.remembered, "");
  EXPECT_TRUE(none.remember);
}

TEST(GpuLabels, FeatureDiscoveryOwnsThemAll) {
  const LabelPlan plan = PlanGpuLabels(
      kWanted, Node({{"nvidia.com/gfd.timestamp", "1"}, {kProduct, "Tesla-T4"}}, kWrote));
  EXPECT_THAT(plan.changes, IsEmpty());
  EXPECT_TRUE(plan.remember);
  EXPECT_EQ(plan.remembered, "");
}

TEST(GpuLabels, AMemoryThatCannotBeReadIsNone) {
  for (const char* text : {"{", "[]", "3", R"({"nvidia.com/gpu.product":3})"}) {
    EXPECT_THAT(PlanGpuLabels(kWanted, Node({{kProduct, "Tesla-T4"}}, text)).changes, IsEmpty())
        << text << ": without a memory the label is theirs";
  }
}

}  // namespace
}  // namespace aliquot::agent
