// SPDX-License-Identifier: Apache-2.0
// What a look through NVML tells of a machine in order.
#include <gmock/gmock.h>

#include "tests/unit/agent/gpu/nvml_fixture.h"

namespace aliquot::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class NvmlLookTest : public NvmlTest {};

TEST_F(NvmlLookTest, CardHasAllThatTheInventoryNames) {
  Machine({{"GPU-a", 3, "0000:3b:00.0", 0, ""}});
  sysfs_.AddNode(0, "0-63");
  sysfs_.AddNode(1, "64-127");
  sysfs_.AddDevice("pci0000:3a/0000:3a:00.0/0000:3b:00.0", 1);

  const aliquot::agent::Machine machine = Look();
  EXPECT_EQ(machine.driver, "535.183.01");
  ASSERT_EQ(machine.cards.size(), 1u);
  const model::Card& card = machine.cards[0].card;
  EXPECT_EQ(card.uuid, "GPU-a");
  EXPECT_EQ(card.minor, 3);
  EXPECT_EQ(card.model, "Tesla T4");
  EXPECT_EQ(card.mib, 15360);
  EXPECT_EQ(card.pci, "0000:3b:00.0");
  EXPECT_EQ(card.numa, 1);  // sysfs before NVML, which says 0
  EXPECT_EQ(card.compute_capability, "7.5");
  EXPECT_EQ(card.health, "ok");
  EXPECT_EQ(card.mode, "");
  EXPECT_THAT(machine.notes, IsEmpty());
}

TEST_F(NvmlLookTest, CardsComeByMinorNumber) {
  Machine({{"GPU-a", 2, "0000:10:00.0", 0, ""},
           {"GPU-b", 0, "0000:11:00.0", 0, ""},
           {"GPU-c", 1, "0000:12:00.0", 0, ""}},
          "links: {triangle: \"PIX,SYS,NODE\"}\n");  // a-b PIX, a-c SYS, b-c NODE
  const aliquot::agent::Machine machine = Look();
  EXPECT_THAT(Uuids(machine), ElementsAre("GPU-b", "GPU-c", "GPU-a"));
  EXPECT_THAT(machine.links, ElementsAre("NODE", "PIX", "SYS"));  // b-c, b-a, c-a
}

TEST_F(NvmlLookTest, DriverWithoutCardsIsAnEmptyMachine) {
  Machine({});
  const aliquot::agent::Machine machine = Look();
  EXPECT_EQ(machine.driver, "535.183.01");
  EXPECT_THAT(machine.cards, IsEmpty());
  EXPECT_THAT(machine.control, IsEmpty());
  EXPECT_THAT(machine.links, IsEmpty());
  EXPECT_THAT(machine.notes, IsEmpty());
}

TEST_F(NvmlLookTest, SixteenCardsHaveOneHundredAndTwentyLinks) {
  Machine(Cards(16), "links: {default: NODE}\n");
  const aliquot::agent::Machine machine = Look();
  EXPECT_EQ(machine.cards.size(), 16u);
  EXPECT_EQ(machine.links, std::vector<std::string>(16 * 15 / 2, "NODE"));
  EXPECT_THAT(machine.notes, IsEmpty());
}

TEST_F(NvmlLookTest, CardInMigModeIsNotOursToShare) {
  Machine({{"GPU-a", 0, "0000:10:00.0", 0, ", mode: mig"}, {"GPU-b", 1, "0000:11:00.0", 0, ""}},
          "links: {default: SYS}\n", "{model: A100, mib: 40960, computeCapability: \"8.0\"}");
  const aliquot::agent::Machine machine = Look();
  ASSERT_EQ(machine.cards.size(), 2u);
  EXPECT_EQ(machine.cards[0].card.mode, "mig");
  EXPECT_FALSE(machine.cards[0].card.shareable());
  EXPECT_EQ(machine.cards[1].card.mode, "");
}

TEST_F(NvmlLookTest, CardsWithOneUuidAreAllLeftOutAndTheOthersStay) {
  Machine({{"GPU-a", 0, "0000:10:00.0", 0, ""},
           {"GPU-a", 1, "0000:11:00.0", 0, ""},
           {"GPU-b", 2, "0000:12:00.0", 0, ""}});
  const aliquot::agent::Machine machine = Look();
  EXPECT_THAT(Uuids(machine), ElementsAre("GPU-b"));
  const std::string why =
      " has the same UUID GPU-a, so a share could not say which one it is of; report it to the "
      "maker "
      "of the cards or of the virtual machine";
  EXPECT_THAT(machine.notes,
              ElementsAre("card 0 of 3 is left out: the card at 0000:11:00.0" + why,
                          "card 1 of 3 is left out: the card at 0000:10:00.0" + why));
}

TEST_F(NvmlLookTest, CardsWithOneMinorNumberAreAllLeftOut) {
  Machine({{"GPU-a", 0, "0000:10:00.0", 0, ""}, {"GPU-b", 0, "0000:11:00.0", 0, ""}});
  const aliquot::agent::Machine machine = Look();
  EXPECT_THAT(Uuids(machine), ElementsAre());
  EXPECT_THAT(machine.notes, ElementsAre("card 0 of 2 is left out: GPU-a has the minor number 0 of "
                                         "GPU-b; reload the driver",
                                         "card 1 of 2 is left out: GPU-b has the minor number 0 of "
                                         "GPU-a; reload the driver"));
}

TEST_F(NvmlLookTest, SecondLookTellsTheSame) {
  Machine(Cards(2));
  const aliquot::agent::Machine first = Look();
  const aliquot::agent::Machine second = Look();
  EXPECT_EQ(Uuids(first), Uuids(second));
  EXPECT_EQ(first.links, second.links);
  EXPECT_EQ(first.notes, second.notes);
}

TEST_F(NvmlLookTest, UnknownNumaNodeComesFromTheCardsCpus) {
  Machine({{"GPU-a", 0, "0000:10:00.0", 1, ""}});
  sysfs_.AddNode(0, "0-63");
  sysfs_.AddNode(1, "64-127");  // the simulated library: node 1 has CPUs 64 to 127
  sysfs_.AddDevice("pci0000:0f/0000:10:00.0", -1);
  EXPECT_EQ(Look().cards[0].card.numa, 1);
}

TEST_F(NvmlLookTest, MemoryOnlyNodeOfAGraceMachineIsNotTaken) {
  Machine({{"GPU-a", 0, "0009:01:00.0", 0, ""}});
  sysfs_.AddNode(0, "0-63");
  sysfs_.AddNode(2, "");
  sysfs_.AddDevice("pci0009:00/0009:01:00.0", 2);
  EXPECT_EQ(Look().cards[0].card.numa, 0);
}

TEST_F(NvmlLookTest, CpusOfSeveralNodesLeaveTheNumaNodeUnknown) {
  Machine({{"GPU-a", 0, "0000:10:00.0", 0, ""}});
  sysfs_.AddNode(0, "0-31");
  sysfs_.AddNode(1, "32-63");
  sysfs_.AddDevice("pci0000:0f/0000:10:00.0", -1);
  EXPECT_EQ(Look().cards[0].card.numa, -1);
}

TEST_F(NvmlLookTest, NicsHaveTheirClassToEachCard) {
  Machine({{"GPU-a", 0, "0000:3d:00.0", 0, ""}, {"GPU-b", 1, "0000:af:00.0", 1, ""}});
  sysfs_.AddDevice("pci0000:3a/3a:00.0/0000:3d:00.0", 0);
  sysfs_.AddDevice("pci0000:3a/3a:01.0/0000:3e:00.0", 0);
  sysfs_.AddDevice("pci0000:ae/ae:00.0/0000:af:00.0", 1);
  sysfs_.AddNic("mlx5_0", "0000:3e:00.0");
  const aliquot::agent::Machine machine = Look();
  ASSERT_EQ(machine.nics.size(), 1u);
  EXPECT_THAT(machine.nics[0].to_cards, ElementsAre("PHB", "SYS"));
}

}  // namespace
}  // namespace aliquot::agent
