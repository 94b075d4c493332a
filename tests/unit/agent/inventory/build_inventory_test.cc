// SPDX-License-Identifier: Apache-2.0
#include "agent/inventory/build_inventory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "api/inventory_codec.h"
#include "tests/unit/agent/inventory/machines.h"

namespace aliquot::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Strings = std::vector<std::string>;

Strings UuidsOf(const model::Inventory& inventory) {
  Strings uuids;
  for (const model::Card& card : inventory.cards) {
    uuids.push_back(card.uuid);
  }
  return uuids;
}

Strings ModesOf(const model::Inventory& inventory) {
  Strings modes;
  for (const model::Card& card : inventory.cards) {
    modes.push_back(card.mode);
  }
  return modes;
}

// What is built must be what the allocator can read.
BuiltInventory Build(const Machine& machine, const InventoryRules& rules = {}) {
  BuiltInventory built = BuildInventory(machine, rules);
  const std::string text = api::FormatInventory(built.inventory);
  const auto read = api::ParseInventory(text);
  EXPECT_TRUE(read.ok()) << read.status().message();
  if (read.ok()) {
    EXPECT_EQ(api::FormatInventory(*read), text);
    EXPECT_EQ(read->shape, built.inventory.shape);
  }
  return built;
}

TEST(BuildInventory, CardsStandByMinorNumber) {
  Machine machine;
  machine.driver = "535.183.01";
  machine.cards = {CardNumber(2, "GPU-c"), CardNumber(0, "GPU-a"), CardNumber(1, "GPU-b")};
  const auto built = Build(machine);
  EXPECT_THAT(UuidsOf(built.inventory), ElementsAre("GPU-a", "GPU-b", "GPU-c"));
  EXPECT_EQ(built.inventory.driver, "535.183.01");
  EXPECT_THAT(built.notes, IsEmpty());
}

// The machine's order is c, a, b with the pairs (c,a) (c,b) (a,b); by minor: (a,b) (a,c) (b,c).
TEST(BuildInventory, LinksAndNicsFollowTheOrderOfTheCards) {
  Machine machine;
  machine.cards = {CardNumber(2, "GPU-c"), CardNumber(0, "GPU-a"), CardNumber(1, "GPU-b")};
  machine.links = {"PIX", "SYS", "NV12"};
  machine.nics = {{"mlx5_0", "0000:0c:00.0", 1, {"PXB", "NODE", "SYS"}}};
  const auto built = Build(machine);
  EXPECT_THAT(built.inventory.links, ElementsAre("NV12", "PIX", "SYS"));
  ASSERT_EQ(built.inventory.nics.size(), 1u);
  EXPECT_THAT(built.inventory.nics[0].to_cards, ElementsAre("NODE", "SYS", "PXB"));
}

TEST(BuildInventory, HealthComesFromTheWords) {
  InventoryRules rules;
  rules.health = {{"GPU-a", "xid-79"}, {"GPU-b", "ok"}};
  const auto built = Build(MachineOf(3), rules);
  EXPECT_EQ(built.inventory.cards[0].health, "xid-79");
  EXPECT_EQ(built.inventory.cards[1].health, "ok");
  EXPECT_EQ(built.inventory.cards[2].health, "ok");
}

TEST(BuildInventory, ACardInMigModeIsPublishedAsNotOurs) {
  Machine machine = MachineOf(2);
  machine.cards[1].card.mode = "mig";
  const auto built = Build(machine);
  EXPECT_THAT(ModesOf(built.inventory), ElementsAre("", "mig"));
  EXPECT_FALSE(built.inventory.cards[1].usable());
}

TEST(BuildInventory, OnlyListedCardsAreOursWhereThereIsAList) {
  InventoryRules rules;
  rules.include = {"GPU-b", "GPU-z"};
  const auto built = Build(MachineOf(3), rules);
  EXPECT_THAT(ModesOf(built.inventory), ElementsAre("foreign", "", "foreign"));
  EXPECT_THAT(built.notes, ElementsAre("cards.include names GPU-z, which is no card of this node; "
                                       "correct it or remove it"));
}

TEST(BuildInventory, NoCardIsOursWhereAnotherPluginHandsThemOut) {
  InventoryRules rules;
  rules.owner = {OwnerVerdict::State::kForeign, "foreign", "because"};
  EXPECT_THAT(ModesOf(Build(MachineOf(2), rules).inventory), ElementsAre("foreign", "foreign"));
}

TEST(BuildInventory, AReleasedDriverLeavesNoCardHealthyAndSaysWhy) {
  InventoryRules rules;
  rules.owner = {OwnerVerdict::State::kReleased, "driver-upgrade", "because"};
  rules.health = {{"GPU-b", "lost"}};
  const auto built = Build(MachineOf(2), rules);
  EXPECT_EQ(built.inventory.cards[0].health, "driver-upgrade");
  EXPECT_EQ(built.inventory.cards[1].health, "lost") << "what was wrong before stays";
  EXPECT_THAT(ModesOf(built.inventory), ElementsAre("", ""));
}

TEST(BuildInventory, CardsOfOneUuidAreAllLeftOut) {
  Machine machine = MachineOf(3);
  machine.cards[2].card.uuid = "GPU-a";
  machine.links = {"PIX", "NODE", "SYS"};
  const auto built = Build(machine);
  EXPECT_THAT(UuidsOf(built.inventory), ElementsAre("GPU-b"));
  EXPECT_THAT(built.inventory.links, IsEmpty());
  EXPECT_THAT(built.notes,
              ElementsAre("2 cards say that their UUID is GPU-a; none of them is published, since "
                          "nobody can tell which is meant: see to the driver or the profile"));
}

TEST(BuildInventory, CardsOfOneMinorNumberAreAllLeftOut) {
  Machine machine = MachineOf(3);
  machine.cards[2].card.minor = 1;
  machine.links = {"PIX", "NODE", "SYS"};
  const auto built = Build(machine);
  EXPECT_THAT(UuidsOf(built.inventory), ElementsAre("GPU-a"));
  ASSERT_EQ(built.notes.size(), 1u);
  EXPECT_THAT(built.notes[0], testing::StartsWith("2 cards say that their minor number is 1;"));
}

TEST(BuildInventory, ACardWithoutAUsableIdentityIsLeftOut) {
  Machine machine = MachineOf(4);
  machine.cards[0].card.uuid = "";
  machine.cards[1].card.minor = -1;
  machine.cards[2].card.mib = -5;
  const auto built = Build(machine);
  EXPECT_THAT(UuidsOf(built.inventory), ElementsAre("GPU-d"));
  EXPECT_EQ(built.notes.size(), 3u);
}

TEST(BuildInventory, ANodeWithoutCardsPublishesNone) {
  const auto built = Build(Machine());
  EXPECT_THAT(built.inventory.cards, IsEmpty());
  EXPECT_EQ(api::FormatInventory(built.inventory),
            R"({"v":1,"driver":"","models":[],"cards":[],"links":""})");
}

TEST(BuildInventory, SixteenCardsAreNoLimitAndSixtyFiveAre) {
  Machine machine;
  for (int i = 0; i < 65; ++i) {
    machine.cards.push_back(CardNumber(i, "GPU-" + std::to_string(i)));
  }
  const auto many = Build(machine);
  EXPECT_EQ(many.inventory.cards.size(), 64u);
  EXPECT_THAT(many.notes, ElementsAre("this node has more than 64 cards; those from minor number "
                                      "64 on are not published"));
  machine.cards.resize(16);
  const auto sixteen = Build(machine);
  EXPECT_EQ(sixteen.inventory.cards.size(), 16u);
  EXPECT_THAT(sixteen.notes, IsEmpty());
}

TEST(BuildInventory, LinksOfTheWrongNumberOrFormAreUnknown) {
  Machine machine = MachineOf(3);
  machine.links = {"PIX", "SYS"};
  EXPECT_EQ(Build(machine).notes.size(), 1u);
  machine.links = {"PIX", "SYS", "near"};
  const auto built = Build(machine);
  EXPECT_THAT(built.inventory.links, IsEmpty());
  EXPECT_EQ(built.notes.size(), 1u);
  EXPECT_EQ(built.inventory.cards.size(), 3u);
}

TEST(BuildInventory, ANicThatDoesNotFitIsLeftOut) {
  Machine machine = MachineOf(2);
  machine.nics = {{"mlx5_0", "0000:0c:00.0", 0, {"PIX"}}, {"mlx5_1", "", 0, {"PIX", "SYS"}}};
  const auto built = Build(machine);
  ASSERT_EQ(built.inventory.nics.size(), 1u);
  EXPECT_EQ(built.inventory.nics[0].name, "mlx5_1");
  EXPECT_EQ(built.notes.size(), 1u);
}

// Rows (a,b)=20 (a,c)=10 (b,c)=40 by minor number; b is left out with its twin, so (a,c) stays.
TEST(BuildInventory, MeasuredFiguresFollowTheCardsThatStay) {
  topology::MeasuredGbps measured{3, true, {20, 10, 40}};
  InventoryRules rules;
  rules.measured = &measured;
  Machine machine;
  machine.cards = {CardNumber(2, "GPU-c"), CardNumber(0, "GPU-a"), CardNumber(1, "")};
  EXPECT_THAT(Build(machine, rules).inventory.gbps, ElementsAre(10));
  machine.cards[2].card.uuid = "GPU-b";
  EXPECT_THAT(Build(machine, rules).inventory.gbps, ElementsAre(20, 10, 40));
}

TEST(BuildInventory, FiguresOfAnotherMachineAreNotUsed) {
  topology::MeasuredGbps measured{3, true, {20, 10, 40}};
  InventoryRules rules;
  rules.measured = &measured;
  const auto built = Build(MachineOf(2), rules);
  EXPECT_THAT(built.inventory.gbps, IsEmpty());
  EXPECT_THAT(built.notes, ElementsAre("cards.measuredLinks has figures of 3 cards and this node "
                                       "has 2; they are not used: measure again"));
}

TEST(BuildInventory, RowsOfSomePairsLeaveTheOthersUnmeasured) {
  topology::MeasuredGbps measured{2, false, {20}};
  InventoryRules rules;
  rules.measured = &measured;
  EXPECT_THAT(Build(MachineOf(3), rules).inventory.gbps, ElementsAre(20, 0, 0));
}

TEST(BuildInventory, LeavingIsSaid) {
  InventoryRules rules;
  rules.leaving = true;
  EXPECT_THAT(api::FormatInventory(Build(MachineOf(1), rules).inventory),
              testing::EndsWith("\"state\":\"leaving\"}"));
}

TEST(BuildInventory, EightCardsStayBelowOneKilobyte) {
  Machine machine;
  machine.driver = "570.124.06";
  for (int i = 0; i < 8; ++i) {
    machine.cards.push_back(
        CardNumber(i, "GPU-7400aa11-0001-4c5e-9d10-51a00000000" + std::to_string(i)));
    machine.cards.back().card.model = "NVIDIA H100 80GB HBM3";
  }
  machine.links.assign(28, "NV18");
  EXPECT_LE(api::FormatInventory(Build(machine).inventory).size(), 1024u);
}

// Whatever the driver says, what is published can be read, and nothing is published twice.
TEST(BuildInventory, AnyMachineGivesAReadableInventory) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  const auto pick = [&random](int below) { return static_cast<int>(random() % below); };
  const Strings uuids = {"GPU-a", "GPU-b", "GPU-c", "", "no uuid", "GPU-d"};
  const Strings links = {"PIX", "SYS", "NV4", "x", ""};
  for (int round = 0; round < 300; ++round) {
    Machine machine;
    for (int i = pick(6); i > 0; --i) {
      machine.cards.push_back(CardNumber(pick(6) - 1, uuids[pick(6)]));
      machine.cards.back().card.mode = pick(5) == 0 ? "mig" : "";
    }
    for (int i = pick(8); i > 0; --i) {
      machine.links.push_back(links[pick(pick(2) == 0 ? 3 : 5)]);
    }
    machine.nics = {{"n", "", pick(3) - 1, Strings(pick(6), "PIX")}};
    Build(machine);
  }
}

}  // namespace
}  // namespace aliquot::agent
