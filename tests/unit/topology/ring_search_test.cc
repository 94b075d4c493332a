// SPDX-License-Identifier: Apache-2.0
#include "topology/ring_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <utility>

#include "tests/unit/topology/set_shapes.h"
#include "topology/ring_blocks.h"
#include "topology/ring_table.h"

namespace aliquot::topology {
namespace {

using ::testing::UnorderedElementsAre;

std::vector<CardSet> EdgesFrom(int cards, const std::vector<std::pair<int, int>>& pairs) {
  std::vector<CardSet> edges(static_cast<std::size_t>(cards));
  for (const auto& [a, b] : pairs) {
    edges[static_cast<std::size_t>(a)] |= CardBit(b);
    edges[static_cast<std::size_t>(b)] |= CardBit(a);
  }
  return edges;
}

bool Rings(int cards, const std::vector<std::pair<int, int>>& pairs) {
  Steps steps{100000};
  const bool has = HasRing(EdgesFrom(cards, pairs), CardBit(cards) - 1, steps);
  EXPECT_FALSE(steps.cut_short);
  return has;
}

TEST(HasRing, FindsTheOnlyRing) {
  EXPECT_TRUE(Rings(6, {{0, 3}, {3, 1}, {1, 5}, {5, 2}, {2, 4}, {4, 0}}));
  EXPECT_FALSE(Rings(6, {{0, 3}, {3, 1}, {1, 5}, {5, 2}, {2, 4}}));
}

TEST(HasRing, TwoTrianglesThatShareACardAreNone) {
  EXPECT_FALSE(Rings(5, {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}, {4, 2}}));
}

TEST(HasRing, HalvesOfUnequalSizeHaveNone) {
  // Three cards, each linked to each of four others.
  std::vector<std::pair<int, int>> pairs;
  for (int a = 0; a < 3; ++a) {
    for (int b = 3; b < 7; ++b) {
      pairs.emplace_back(a, b);
    }
  }
  EXPECT_FALSE(Rings(7, pairs));
}

TEST(HasRing, PetersensGraphHasNoneButAnyNineOfItsCardsHave) {
  const std::vector<std::pair<int, int>> pairs = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0},
                                                  {0, 5}, {1, 6}, {2, 7}, {3, 8}, {4, 9},
                                                  {5, 7}, {7, 9}, {9, 6}, {6, 8}, {8, 5}};
  EXPECT_FALSE(Rings(10, pairs));
  Steps steps{100000};
  EXPECT_TRUE(HasRing(EdgesFrom(10, pairs), 0x1ff, steps));
}

TEST(HasRing, SaysWhenTheStepsRanOut) {
  const std::vector<CardSet> edges = EdgesFrom(6, {{0, 3}, {3, 1}, {1, 5}, {5, 2}, {2, 4}, {4, 0}});
  Steps steps{3};
  EXPECT_FALSE(HasRing(edges, 0b111111, steps));
  EXPECT_TRUE(steps.cut_short);
}

TEST(BestRing, EqualsTheTable) {
  constexpr unsigned kSeed = 99;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  const SetShape shape = RandomShape(random, 12);
  const std::vector<std::uint16_t> table = RingTable(shape);
  for (CardSet set = 1; set < table.size(); ++set) {
    Steps steps{100000};
    ASSERT_EQ(BestRing(shape, set, steps), table[set]) << "set " << set;
  }
}

TEST(RingTable, EqualsEveryRingByPermutation) {
  constexpr unsigned kSeed = 100;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  const SetShape shape = RandomShape(random, 7);
  PlainObjective plain(shape);
  const std::vector<std::uint16_t> table = RingTable(shape);
  for (CardSet set = 1; set < table.size(); ++set) {
    ASSERT_EQ(table[set], plain.ConnectednessOf(set).ring_gbps) << "set " << set;
  }
}

TEST(RingTable, HasRoomForAHundredAndTwentyDifferentFigures) {
  // Pair a-b of sixteen cards has 500 x a + b GB/s or so: all different. The ring over all sixteen
  // must pass card 0, whose two best links are 0-14 and 0-15: at most 14.
  const SetShape shape = ShapeBy(std::vector<int>(16, 0), [](int a, int b) { return 500 * a + b; });
  const std::vector<std::uint16_t> table = RingTable(shape);
  EXPECT_EQ(table[0xffff], 14);
  EXPECT_EQ(table[0b11 << 14], 500 * 14 + 15);
}

TEST(RingBlocks, AreSplitAtACardThatHoldsTwoPartsTogether) {
  const std::vector<CardSet> edges =
      EdgesFrom(7, {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}, {4, 2}, {4, 5}});
  EXPECT_THAT(RingBlocks(edges), UnorderedElementsAre(0b00111U, 0b11100U));
}

TEST(RingBlocks, OfSeveralPiecesAreThoseThatHoldWithoutAnyOneCard) {
  // A square; a star of card 4; a pair of triangles joined by 9-10.
  const std::vector<CardSet> edges = EdgesFrom(13, {{0, 1},
                                                    {1, 2},
                                                    {2, 3},
                                                    {3, 0},
                                                    {4, 5},
                                                    {4, 6},
                                                    {7, 8},
                                                    {8, 9},
                                                    {9, 7},
                                                    {9, 10},
                                                    {10, 11},
                                                    {11, 12},
                                                    {12, 10}});
  EXPECT_THAT(RingBlocks(edges), UnorderedElementsAre(0b1111U, 0b111U << 7, 0b111U << 10));
  EXPECT_THAT(RingBlocks(EdgesFrom(3, {})), ::testing::IsEmpty());
}

TEST(HasEvenRingsOnly, TellsASquareFromATriangle) {
  EXPECT_TRUE(HasEvenRingsOnly(EdgesFrom(4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}), 0b1111));
  EXPECT_FALSE(HasEvenRingsOnly(EdgesFrom(4, {{0, 1}, {1, 2}, {2, 0}, {2, 3}}), 0b1111));
}

}  // namespace
}  // namespace aliquot::topology
