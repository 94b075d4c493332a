// SPDX-License-Identifier: Apache-2.0
#include "agent/assessment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/inventory_codec.h"
#include "tests/unit/agent/inventory/machines.h"

namespace aliquot::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A card has 15360 MiB: 60 units of 256 MiB.
constexpr DeviceCount kNothing{0, 0};

class AssessmentTest : public testing::Test {
 protected:
  AssessmentTest() { See(MachineOf(2)); }

  void See(Machine machine) {
    view_.driver = true;
    view_.machine = std::move(machine);
    for (const MachineCard& each : view_.machine.cards) {
      view_.health[each.card.uuid] = "ok";
    }
  }
  Assessment Assess() {
    inputs_.machine = std::make_shared<const MachineView>(view_);
    return AssessNode(inputs_);
  }
  static model::Inventory InventoryOf(const Assessment& assessment) {
    const auto inventory = api::ParseInventory(assessment.wish.inventory);
    EXPECT_TRUE(inventory.ok()) << inventory.status().message();
    return inventory.ok() ? *inventory : model::Inventory();
  }
  // The node says what an agent published of this machine.
  void NodeSays(const std::string& inventory) {
    auto node = std::make_shared<NodeView>();
    node->name = "n1";
    node->inventory = inventory;
    inputs_.node = node;
  }

  MachineView view_;
  AssessmentInputs inputs_;
};

TEST_F(AssessmentTest, HealthyCardsOfOursAreOfferedInFull) {
  const Assessment now = Assess();
  EXPECT_FALSE(now.says_nothing);
  EXPECT_EQ(now.core, (DeviceCount{200, 200}));
  EXPECT_EQ(now.memory, (DeviceCount{120, 120}));
  EXPECT_EQ(now.standing.at("GPU-a").health, "ok");
  EXPECT_EQ(InventoryOf(now).cards.size(), 2u);
  EXPECT_THAT(now.notes, IsEmpty());
}

TEST_F(AssessmentTest, AnUnhealthyCardCountsButIsNotHealthy) {
  view_.health["GPU-b"] = "lost";
  const Assessment now = Assess();
  EXPECT_EQ(now.core, (DeviceCount{200, 100}));
  EXPECT_EQ(now.memory, (DeviceCount{120, 60}));
  EXPECT_EQ(now.standing.at("GPU-b").health, "lost");
}

TEST_F(AssessmentTest, CardsOfAnotherOwnerAreNamedButNotOffered) {
  inputs_.owner = {OwnerVerdict::State::kForeign, "foreign", "another plugin owns them"};
  const Assessment now = Assess();
  EXPECT_EQ(now.core, kNothing);
  EXPECT_EQ(now.memory, kNothing);
  EXPECT_EQ(now.standing.at("GPU-a").mode, "foreign");
  EXPECT_EQ(InventoryOf(now).cards.size(), 2u);
  EXPECT_THAT(now.notes, ElementsAre("another plugin owns them"));
}

TEST_F(AssessmentTest, CardsThatTheConfigurationLeavesOutAreNotCounted) {
  inputs_.include = {"GPU-b"};
  const Assessment now = Assess();
  EXPECT_EQ(now.core, (DeviceCount{100, 100}));
  EXPECT_NE(now.standing.at("GPU-a").mode, "");
}

TEST_F(AssessmentTest, ADriverThatIsReleasedLeavesEveryCardUnhealthy) {
  inputs_.owner = {OwnerVerdict::State::kReleased, "driver-upgrade", "it is replaced"};
  view_.driver = false;
  view_.sentence = "held";
  view_.health = {{"GPU-a", "no-driver"}, {"GPU-b", "no-driver"}};
  const Assessment now = Assess();
  EXPECT_EQ(now.core, (DeviceCount{200, 0}));
  EXPECT_EQ(InventoryOf(now).cards[0].health, "driver-upgrade");
  EXPECT_THAT(now.notes, ElementsAre("held", "it is replaced"));
  view_.health["GPU-b"] = "lost";
  EXPECT_EQ(InventoryOf(Assess()).cards[1].health, "lost") << "what else is wrong stays";
}

TEST_F(AssessmentTest, WithoutTheDriversLibrariesNothingIsHealthy) {
  inputs_.driver.sentence = "no libcuda";
  const Assessment now = Assess();
  EXPECT_EQ(now.core, (DeviceCount{200, 0}));
  EXPECT_EQ(now.memory, (DeviceCount{120, 0}));
  EXPECT_EQ(InventoryOf(now).cards[0].health, "ok") << "the cards themselves are well";
  EXPECT_THAT(now.notes, ElementsAre("no libcuda"));
}

TEST_F(AssessmentTest, WithoutADriverSinceTheStartTheEarlierInventoryStaysAsUnhealthy) {
  NodeSays(Assess().wish.inventory);
  view_ = {};
  view_.sentence = "no driver";
  const Assessment now = Assess();
  EXPECT_FALSE(now.says_nothing);
  EXPECT_EQ(now.core, (DeviceCount{200, 0}));
  ASSERT_EQ(InventoryOf(now).cards.size(), 2u);
  EXPECT_EQ(InventoryOf(now).cards[0].health, "no-driver");
  EXPECT_EQ(now.standing.at("GPU-a").health, "no-driver");
  inputs_.owner = {OwnerVerdict::State::kReleased, "mig-config", "MIG is set up"};
  EXPECT_EQ(InventoryOf(Assess()).cards[0].health, "mig-config");
}

TEST_F(AssessmentTest, WithoutADriverOrAnEarlierInventoryNothingIsSaid) {
  view_ = {};
  view_.sentence = "no driver";
  EXPECT_TRUE(Assess().says_nothing) << "the node is not known";
  NodeSays("");
  EXPECT_TRUE(Assess().says_nothing);
  NodeSays("{\"v\":9}");
  EXPECT_TRUE(Assess().says_nothing) << "of a later agent: it stays as it is";
  EXPECT_EQ(Assess().core, kNothing);
}

TEST_F(AssessmentTest, ADriverWithoutCardsSaysSo) {
  See(MachineOf(0));
  NodeSays("{\"v\":1,\"driver\":\"1\",\"models\":[],\"cards\":[]}");
  const Assessment now = Assess();
  EXPECT_FALSE(now.says_nothing);
  EXPECT_EQ(now.core, kNothing);
  EXPECT_THAT(InventoryOf(now).cards, IsEmpty());
}

TEST_F(AssessmentTest, LeavingIsSaidAndTakesNothingFromTheKubelet) {
  inputs_.leaving = true;
  const Assessment now = Assess();
  EXPECT_TRUE(InventoryOf(now).leaving);
  EXPECT_EQ(now.core, (DeviceCount{200, 200}));
  inputs_.leaving = false;
  NodeSays(now.wish.inventory);
  EXPECT_FALSE(InventoryOf(Assess()).leaving) << "the next agent clears it";
}

TEST_F(AssessmentTest, LeavingIsClearedWithoutADriverToo) {
  inputs_.leaving = true;
  NodeSays(Assess().wish.inventory);
  inputs_.leaving = false;
  view_ = {};
  EXPECT_FALSE(InventoryOf(Assess()).leaving);
}

TEST_F(AssessmentTest, CardsOfOneUuidAreLeftOutAndCannotBeGiven) {
  Machine machine = MachineOf(3);
  machine.cards[1].card.uuid = "GPU-a";
  See(machine);
  const Assessment now = Assess();
  EXPECT_EQ(now.core, (DeviceCount{100, 100}));
  EXPECT_EQ(now.standing.count("GPU-a"), 0u);
  EXPECT_THAT(now.notes, testing::Contains(HasSubstr("GPU-a")));
}

TEST_F(AssessmentTest, EqualInputsGiveAnEqualWish) {
  EXPECT_EQ(Assess().wish, Assess().wish);
  inputs_.startup_taint = "aliquot.io/starting";
  EXPECT_EQ(Assess().wish.startup_taint, "aliquot.io/starting");
}

}  // namespace
}  // namespace aliquot::agent
