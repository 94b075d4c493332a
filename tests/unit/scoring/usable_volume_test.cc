// SPDX-License-Identifier: Apache-2.0
#include "scoring/usable_volume.h"

#include <gtest/gtest.h>

#include <random>

#include "scoring/node_volume.h"
#include "tests/unit/scoring/outlooks.h"
#include "tests/unit/scoring/test_nodes.h"

namespace aliquot::scoring {
namespace {

// At price 0: processor costs nothing.
std::int64_t CardAt(const Outlook& outlook, int left, std::string_view model = "") {
  return outlook.volume->Of(model).of_card[static_cast<std::size_t>(left)].at[0];
}
std::int64_t IdleAt(const Outlook& outlook, int cards, std::string_view model = "") {
  return outlook.volume->Of(model).of_idle[static_cast<std::size_t>(cards)].at[0];
}

TEST(UsableVolume, ACardIsWorthWhatStillFitsOnIt) {
  // Only halves come, and one always comes: e^-50 is nothing.
  const auto outlook = Expecting({Pods(1, 1, 50)});
  EXPECT_EQ(CardAt(*outlook, 49), 0);
  EXPECT_EQ(CardAt(*outlook, 50), 50 * kVolumeOfPercent);
  EXPECT_EQ(CardAt(*outlook, 99), 50 * kVolumeOfPercent);
  EXPECT_EQ(CardAt(*outlook, 100), kVolumeOfCard);
  EXPECT_EQ(IdleAt(*outlook, 3), 3 * kVolumeOfCard);
}

TEST(UsableVolume, ARareSizeComesOnlyWithItsChance) {
  // 1 % are of 30: 1 - e^-0.5 = 0.393469 come in time. 30 % left are worth 0.393469 * 3,000.
  const auto outlook = Expecting({Pods(99, 1, 100), Pods(1, 1, 30)});
  // Covered by the first 95 %, the rare one is no part of the head.
  EXPECT_EQ(CardAt(*outlook, 30), 0);
  const auto with_it = Expecting({Pods(94, 1, 100), Pods(5, 1, 100, 1), Pods(1, 1, 30)});
  EXPECT_EQ(CardAt(*with_it, 30), 0);
  // 90 and 10 %: both in the head; 1 - e^-5 = 0.993262 * 3,000 = 2,980.
  EXPECT_EQ(CardAt(*Expecting({Pods(90, 1, 100), Pods(10, 1, 30)}), 30), 2980);
}

TEST(UsableVolume, TheBetterPodIsWaitedForAndTheOtherTakenElse) {
  // 10 % each of 70 and 60: both come with 1 - e^-5 = 0.993262. With 70 left: 7,000 with that
  // chance, else 6,000 with that chance: 6,952.8 + 0.006738 * 0.993262 * 6,000 = 6,992.99.
  const auto outlook = Expecting({Pods(80, 1, 100), Pods(10, 1, 70), Pods(10, 1, 60)});
  EXPECT_EQ(CardAt(*outlook, 70), 6993);
}

TEST(UsableVolume, CardsStandTogetherForPodsOfSeveral) {
  // Nothing but pods of two: one idle card is worth nothing, three as much as two.
  const auto outlook = Expecting({Pods(1, 2, 100)});
  EXPECT_EQ(IdleAt(*outlook, 1), 0);
  EXPECT_EQ(IdleAt(*outlook, 2), 2 * kVolumeOfCard);
  EXPECT_EQ(IdleAt(*outlook, 3), 2 * kVolumeOfCard);
  EXPECT_EQ(IdleAt(*outlook, 4), 4 * kVolumeOfCard);
  // Room: 10 % of the volume for each such pod that fits.
  EXPECT_EQ(UsableVolume::RoomOf(outlook->volume->Of(""), 4, nullptr), 2 * 2000);
  EXPECT_EQ(UsableVolume::RoomOf(outlook->volume->Of(""), 1, nullptr), 0);
}

TEST(UsableVolume, RoomNeedsProcessorToo) {
  const auto outlook = Expecting({Pods(1, 2, 100, 8000)});
  const model::HostAmount left = {15'999, 0};
  EXPECT_EQ(UsableVolume::RoomOf(outlook->volume->Of(""), 4, &left), 2000);
}

TEST(UsableVolume, ProcessorThatIsShortBoundsTheValue) {
  // Each card wants 4 cores. With 4 left, four idle cards are worth one, with 16 or more all four.
  const auto outlook = Expecting({Pods(1, 1, 100, 4000)});
  const VolumeRow& four = outlook->volume->Of("").of_idle[4];
  for (const auto& [cores, cards] : {std::pair(0, 0), {4, 1}, {8, 2}, {16, 4}, {64, 4}}) {
    const model::HostAmount left = {cores * 1000, 0};
    EXPECT_EQ(outlook->volume->ValueOf(four, &left), cards * kVolumeOfCard) << cores;
  }
  EXPECT_EQ(outlook->volume->ValueOf(four, nullptr), 4 * kVolumeOfCard);
}

TEST(UsableVolume, MemoryThatIsShortLeavesProcessorWithoutUse) {
  // 4 cores and 8 GiB a card: 8 GiB left are good for one card, however many cores there are.
  PodClass pods = Pods(1, 1, 100, 4000);
  pods.host.memory_mib = 8192;
  const auto outlook = Expecting({pods});
  const model::HostAmount left = {64'000, 8192};
  EXPECT_EQ(outlook->volume->ValueOf(outlook->volume->Of("").of_idle[4], &left), kVolumeOfCard);
}

TEST(UsableVolume, AModelServesThePodsThatMayRunOnIt) {
  const auto outlook = Expecting({Pods(9, 1, 50, 0, {"A100"}), Pods(1, 1, 100)});
  EXPECT_EQ(CardAt(*outlook, 50, "A100"), 50 * kVolumeOfPercent);
  EXPECT_EQ(CardAt(*outlook, 50, "T4"), 0);
}

TEST(UsableVolume, AModelThatIsWantedBeyondItsPartCosts) {
  // Half of the volume is for A100 only, which are 1 of 4 cards: the ratio is 2, counted as 1, so a
  // card costs 12 %. T4 is wanted by nobody in particular.
  ClusterFigures cluster;
  cluster.cards_by_model = {{"A100", 25}, {"T4", 75}};
  const auto scarce = Expecting({Pods(1, 1, 100, 0, {"A100"}), Pods(1, 1, 100)}, cluster);
  EXPECT_EQ(scarce->volume->Of("A100").scarcity, 1200);
  EXPECT_EQ(scarce->volume->Of("T4").scarcity, 0);
  // 1 of 8 pods: the ratio is 1/2, its square 1/4.
  const auto some = Expecting({Pods(1, 1, 100, 0, {"A100"}), Pods(7, 1, 100)}, cluster);
  EXPECT_EQ(some->volume->Of("A100").scarcity, 300);
}

TEST(UsableVolume, UnderPressureOnlyAPartOfTheProcessorCounts) {
  // Half of the cards are in use with 10 cores beside each, and the cluster has 8 a card: rho is
  // 1.25 and the pressure full, a half. The mix asks for 5 a card, so half of what is free is
  // within reach.
  ClusterFigures cluster;
  cluster.core = 800;
  cluster.core_used = 400;
  cluster.cpu_milli = 64'000;
  cluster.cpu_milli_used = 40'000;
  const auto outlook = Expecting({Pods(1, 1, 100, 5000)}, cluster);
  const model::HostAmount left = {20'000, 0};
  // Four cards are worth 4 with 20 cores, 2 with 10.
  EXPECT_EQ(outlook->volume->ValueOf(outlook->volume->Of("").of_idle[4], &left), 3 * kVolumeOfCard);
}

TEST(UsableVolume, NothingIsWorthMoreThanItsVolumeAndMoreIsNeverWorthLess) {
  constexpr int kSeed = 20251130;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  for (int round = 0; round < 30; ++round) {
    std::vector<PodClass> mix;
    const int classes = 1 + static_cast<int>(random() % 12);
    for (int i = 0; i < classes; ++i) {
      const bool whole = random() % 2 == 0;
      mix.push_back(Pods(1 + random() % 100, whole ? 1 << random() % 4 : 1,
                         whole ? 100 : 1 + static_cast<int>(random() % 99), random() % 20000));
    }
    const auto outlook = Expecting(mix);
    const VolumeTable& table = outlook->volume->Of("");
    for (std::size_t price = 0; price < kPrices; ++price) {
      for (int left = 0; left <= 100; ++left) {
        ASSERT_LE(table.of_card[static_cast<std::size_t>(left)].at[price], left * kVolumeOfPercent);
        ASSERT_GE(table.of_card[static_cast<std::size_t>(left)].at[price], 0);
      }
      for (std::size_t idle = 1; idle <= 64; ++idle) {
        ASSERT_LE(table.of_idle[idle].at[price], static_cast<std::int64_t>(idle) * kVolumeOfCard);
        ASSERT_GE(table.of_idle[idle].at[price], table.of_idle[idle - 1].at[price]);
      }
    }
    for (std::int64_t cores = 0; cores < 40; ++cores) {
      const model::HostAmount less = {cores * 1000, 0};
      const model::HostAmount more = {cores * 1000 + 1000, 0};
      ASSERT_LE(outlook->volume->ValueOf(table.of_idle[8], &less),
                outlook->volume->ValueOf(table.of_idle[8], &more));
    }
  }
}

TEST(UsableVolume, TheLargestFiguresStayInBounds) {
  PodClass large = Pods(std::int64_t{1} << 60, 64, 100, std::int64_t{1} << 50);
  large.host.memory_mib = std::int64_t{1} << 50;
  const auto outlook = Expecting({large, Pods(std::int64_t{1} << 61, 1, 1, 1)});
  const model::HostAmount left = {std::int64_t{1} << 50, std::int64_t{1} << 50};
  const std::int64_t value = outlook->volume->ValueOf(outlook->volume->Of("").of_idle[64], &left);
  EXPECT_GT(value, 0);
  EXPECT_LE(value, 64 * kVolumeOfCard);
}

TEST(NodeVolume, LossesAreTheValueBeforeLessTheValueAfter) {
  const auto outlook = Expecting({Pods(1, 1, 50)});
  // 100 + 60 left: worth 1 and a half cards. 20 % on the second: 40 left are worth nothing.
  const TestNode node({Card(16384), Card(16384, 40, 256)});
  const model::PodDemand demand = Pod({Share(20, 256)});
  const NodeState state = node.state();
  const Ask ask(demand, false, *outlook);
  const NodeVolume volume(state, ask);
  EXPECT_EQ(volume.LossOfShare(demand.containers[0], 1).usable, 50 * kVolumeOfPercent);
  EXPECT_EQ(volume.LossOfShare(demand.containers[0], 0).usable, 50 * kVolumeOfPercent);
  EXPECT_EQ(volume.LossOf({{1}}).usable, 50 * kVolumeOfPercent);
}

TEST(NodeVolume, ContainersThatFollowEachOtherTakeTheirPeak) {
  const auto outlook = Expecting({Pods(1, 1, 50)});
  const TestNode node({Card(16384), Card(16384)});
  const model::PodDemand demand = Pod({Share(40, 256, kInit), Share(30, 256)});
  const NodeState state = node.state();
  const Ask ask(demand, false, *outlook);
  // Both on one card: 40, not 70; 60 left are still worth a half.
  EXPECT_EQ(NodeVolume(state, ask).LossOf({{0}, {0}}).usable, 50 * kVolumeOfPercent);
  EXPECT_EQ(NodeVolume(state, ask).LossOf({{0}, {1}}).usable, 2 * 50 * kVolumeOfPercent);
}

TEST(NodeVolume, MemoryThatIsTakenIsNotThereToLend) {
  const auto outlook = Expecting({Pods(1, 1, 50)});
  // 10 % of time, but 60 % of memory: 40 left.
  const TestNode node({Card(10000)});
  const model::PodDemand demand = Pod({Share(10, 6000)});
  const NodeState state = node.state();
  EXPECT_EQ(NodeVolume(state, Ask(demand, false, *outlook)).LossOf({{0}}).usable, kVolumeOfCard);
}

TEST(VolumeLoss, StepsAreWholePercentsRoundedDown) {
  EXPECT_EQ((VolumeLoss{199, 0, 0}.steps()), 1);
  EXPECT_EQ((VolumeLoss{150, 30, 20}.steps()), 2);
  EXPECT_EQ((VolumeLoss{-1, 0, 0}.steps()), -1);
  EXPECT_EQ((VolumeLoss{-100, 0, 0}.steps()), -1);
}

}  // namespace
}  // namespace aliquot::scoring
