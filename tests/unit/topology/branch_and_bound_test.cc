// SPDX-License-Identifier: Apache-2.0
#include "topology/branch_and_bound.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/unit/topology/set_shapes.h"
#include "topology/set_chooser.h"

namespace aliquot::topology {
namespace {

constexpr unsigned kSeed = 4711;
constexpr int kManySteps = 10000000;

// `groups` groups of `size` cards: 50 GB/s within, 16 across; a group is a NUMA node.
SetShape Groups(int groups, int size) {
  std::vector<int> numa;
  for (int card = 0; card < groups * size; ++card) {
    numa.push_back(card / size);
  }
  return ShapeBy(numa, [&](int a, int b) { return a / size == b / size ? 50 : 16; });
}

TEST(BranchAndBound, EqualsPlainEnumerationOnSeventeenToTwentyCards) {
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  for (int cards = 17; cards <= 20; ++cards) {
    const SetShape shape = RandomShape(random, cards);
    PlainObjective plain(shape);
    for (int round = 0; round < 6; ++round) {
      CardSet free = (random() | random()) & shape.all();
      for (int count = 1; count <= 5; ++count) {
        for (int kind = 0; kind < 8; ++kind) {
          const SetRequest request{free, count, (kind & 1) == 0, (kind & 2) != 0, (kind & 4) != 0};
          const SetChoice choice = ChooseByBranchAndBound(shape, request, kManySteps);
          ASSERT_FALSE(choice.cut_short);
          ASSERT_EQ(choice.set, plain.Best(request))
              << cards << " cards, free " << free << ", count " << count << ", kind " << kind;
        }
      }
    }
  }
}

// Sixteen cards have a table, which finds its answers in quite another way.
TEST(BranchAndBound, EqualsTheTableOfSixteenCards) {
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  for (int round = 0; round < 4; ++round) {
    const SetShape shape = RandomShape(random, 16);
    const SetChooser table(shape);
    for (int count = 1; count <= 16; ++count) {
      const CardSet free = count > 10 ? shape.all() : (random() | random()) & shape.all();
      for (const bool sensitive : {true, false}) {
        const SetRequest request{free, count, sensitive};
        const SetChoice choice = ChooseByBranchAndBound(shape, request, kManySteps);
        ASSERT_FALSE(choice.cut_short);
        EXPECT_EQ(choice.set, table.Choose(request).set)
            << "free " << free << ", count " << count << (sensitive ? "" : ", insensitive");
      }
    }
  }
}

TEST(BranchAndBound, LargeRegularNodesAreAnsweredInFull) {
  // 64 cards behind one NVSwitch, two NUMA nodes: the first cards of one of them.
  std::vector<int> numa(32, 0);
  numa.insert(numa.end(), 32, 1);
  const SetShape uniform = ShapeBy(numa, [](int, int) { return 450; });
  const SetChoice of_uniform = ChooseByBranchAndBound(uniform, {~CardSet{0}, 20}, kChoiceSteps);
  EXPECT_EQ(of_uniform.set, CardBit(20) - 1);
  EXPECT_FALSE(of_uniform.cut_short);
  // Eight groups of eight: a whole group, and of the whole ones the first.
  const SetShape grouped = Groups(8, 8);
  const SetChoice of_grouped = ChooseByBranchAndBound(grouped, {~CardSet{1}, 8}, kChoiceSteps);
  EXPECT_EQ(of_grouped.set, CardSet{0xff00});
  EXPECT_FALSE(of_grouped.cut_short);
}

TEST(BranchAndBound, OfEquallyGoodSetsTakesTheOneThatLeavesMost) {
  // Groups of three; card 0 is in use. A pair has 50 GB/s inside any group: taken from group 0 it
  // breaks nothing, taken from another it strands that group's third card.
  EXPECT_EQ(ChooseByBranchAndBound(Groups(6, 3), {0x3ffff & ~CardSet{0b001}, 2}, kChoiceSteps).set,
            CardSet{0b110});
}

TEST(BranchAndBound, AnInsensitivePodLeavesMostBeforeItIsWellConnected) {
  // 17 cards: five triples of 50 GB/s, cards 15 and 16 of 40, else 16; one NUMA node unknown.
  // Taken from a triple: 50 - 12 x (2 x 50 + 28 x 16) = -6526; cards 15 and 16: 40 - 12 x 30 x 16 =
  // -5720.
  const SetShape shape = ShapeBy(std::vector<int>(17, -1), [](int a, int b) {
    return a / 3 != b / 3 ? 16 : a < 15 ? 50 : 40;
  });
  const SetRequest sensitive{shape.all(), 2, true};
  EXPECT_EQ(ChooseByBranchAndBound(shape, sensitive, kChoiceSteps).set, CardSet{0b11});
  const SetRequest insensitive{shape.all(), 2, false};
  EXPECT_EQ(ChooseByBranchAndBound(shape, insensitive, kChoiceSteps).set, CardSet{0b11} << 15);
}

TEST(BranchAndBound, SaysWhenItWasCutShortAndStillAnswers) {
  std::mt19937 random(kSeed);
  const SetShape shape = ShapeBy(std::vector<int>(40, 0),
                                 [&](int, int) { return 10 + static_cast<int>(random() % 90); });
  for (const bool sensitive : {true, false}) {
    const SetRequest request{shape.all(), 15, sensitive};
    const SetChoice choice = ChooseByBranchAndBound(shape, request, 2000);
    EXPECT_TRUE(choice.cut_short);
    EXPECT_EQ(CountOf(choice.set), 15);
    // The same question gets the same answer.
    EXPECT_EQ(ChooseByBranchAndBound(shape, request, 2000).set, choice.set);
  }
}

TEST(BranchAndBound, AnswersNothingOnlyWhereNoSetKeepsTheConditions) {
  const SetShape shape = Groups(6, 3);
  EXPECT_EQ(ChooseByBranchAndBound(shape, {shape.all(), 4, true, true}, kChoiceSteps).set, 0U);
  EXPECT_FALSE(ChooseByBranchAndBound(shape, {shape.all(), 4, true, true}, kChoiceSteps).cut_short);
  EXPECT_EQ(ChooseByBranchAndBound(shape, {shape.all(), 3, true, true}, kChoiceSteps).set, 0b111U);
  EXPECT_EQ(ChooseByBranchAndBound(shape, {shape.all(), 4, true, false, true}, kChoiceSteps).set,
            0U);
  EXPECT_EQ(ChooseByBranchAndBound(shape, {0b11, 3}, kChoiceSteps).set, 0U);
  EXPECT_EQ(ChooseByBranchAndBound(shape, {shape.all(), 0}, kChoiceSteps).set, 0U);
  EXPECT_EQ(ChooseByBranchAndBound(shape, {shape.all(), 19}, kChoiceSteps).set, 0U);
}

}  // namespace
}  // namespace aliquot::topology
