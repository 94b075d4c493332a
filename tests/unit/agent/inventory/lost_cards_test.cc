// SPDX-License-Identifier: Apache-2.0
#include "agent/inventory/lost_cards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/agent/inventory/machines.h"

namespace aliquot::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> UuidsOf(const Machine& machine) {
  std::vector<std::string> uuids;
  for (const MachineCard& each : machine.cards) {
    uuids.push_back(each.card.uuid);
  }
  return uuids;
}

// Three cards with the pairs (a,b) (a,c) (b,c).
Machine Three() {
  Machine machine = MachineOf(3);
  machine.links = {"PIX", "NODE", "SYS"};
  machine.nics = {{"mlx5_0", "", 0, {"PXB", "NODE", "SYS"}}};
  return machine;
}

Machine WithoutB() {
  Machine machine = MachineOf(3);
  machine.cards.erase(machine.cards.begin() + 1);
  machine.links = {"NV4"};
  machine.nics = {{"mlx5_0", "", 0, {"PHB", "SYS"}}};
  return machine;
}

TEST(LostCards, NothingChangesWhileAllAreThere) {
  const auto result = KeepLostCards(Three(), Three());
  EXPECT_THAT(result.lost, IsEmpty());
  EXPECT_THAT(UuidsOf(result.machine), ElementsAre("GPU-a", "GPU-b", "GPU-c"));
  EXPECT_THAT(result.machine.links, ElementsAre("PIX", "NODE", "SYS"));
}

// (a,b) and (b,c) are known from before, (a,c) from now.
TEST(LostCards, ALostCardStaysWithItsLinks) {
  const auto result = KeepLostCards(Three(), WithoutB());
  EXPECT_THAT(result.lost, ElementsAre("GPU-b"));
  EXPECT_THAT(UuidsOf(result.machine), ElementsAre("GPU-a", "GPU-b", "GPU-c"));
  EXPECT_THAT(result.machine.links, ElementsAre("PIX", "NV4", "SYS"));
  ASSERT_EQ(result.machine.nics.size(), 1u);
  EXPECT_THAT(result.machine.nics[0].to_cards, ElementsAre("PHB", "NODE", "SYS"));
}

TEST(LostCards, ALostCardStaysLostLookAfterLook) {
  const auto first = KeepLostCards(Three(), WithoutB());
  const auto second = KeepLostCards(first.machine, WithoutB());
  EXPECT_THAT(second.lost, ElementsAre("GPU-b"));
  EXPECT_EQ(second.machine.links, first.machine.links);
}

TEST(LostCards, ACardThatComesBackIsLostNoMore) {
  const auto gone = KeepLostCards(Three(), WithoutB());
  const auto back = KeepLostCards(gone.machine, Three());
  EXPECT_THAT(back.lost, IsEmpty());
  EXPECT_EQ(back.machine.cards.size(), 3u);
}

TEST(LostCards, AnotherCardWithItsMinorNumberTakesItsPlace) {
  Machine now = WithoutB();
  now.cards.push_back(CardNumber(1, "GPU-new"));
  now.links = {};
  const auto result = KeepLostCards(Three(), now);
  EXPECT_THAT(result.lost, IsEmpty());
  EXPECT_THAT(UuidsOf(result.machine), ElementsAre("GPU-a", "GPU-c", "GPU-new"));
}

TEST(LostCards, LinksThatNobodyKnowsAreAllUnknown) {
  Machine now = WithoutB();
  now.cards.push_back(CardNumber(3, "GPU-new"));
  now.links = {"NV4", "NV4", "NV4"};
  const auto result = KeepLostCards(Three(), now);  // nobody saw (b,new)
  EXPECT_THAT(UuidsOf(result.machine), ElementsAre("GPU-a", "GPU-b", "GPU-c", "GPU-new"));
  EXPECT_THAT(result.machine.links, IsEmpty());
  EXPECT_THAT(result.machine.nics, IsEmpty());
}

}  // namespace
}  // namespace aliquot::agent
