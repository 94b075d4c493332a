// SPDX-License-Identifier: Apache-2.0
#include "topology/set_chooser.h"

#include <gtest/gtest.h>

#include "tests/unit/topology/set_shapes.h"

namespace aliquot::topology {
namespace {

// Two pairs of 100 GB/s, 0-1 and 2-3, else 16. NUMA nodes unknown.
SetShape TwoPairs() { return ShapeOf({100, 16, 16, 16, 16, 100}, {-1, -1, -1, -1}); }

TEST(SetChooser, OneCardIsTheOneWhosePartnerIsInUse) {
  // Card 3 is in use. Card 2 leaves -12 x (16 + 16) - 3 x 100 = -684, card 0 or 1
  // -12 x (100 + 16) - 3 x 16 = -1440.
  const SetChooser chooser(TwoPairs());
  EXPECT_EQ(chooser.Choose({0b0111, 1}).set, 0b0100U);
  EXPECT_EQ(chooser.ValueOf(0b0100, {0b0111, 1}).remaining, -684 * 65536);
  EXPECT_EQ(chooser.ValueOf(0b0001, {0b0111, 1}).remaining, -1440 * 65536);
}

TEST(SetChooser, OfEquallyGoodCardsTheLowest) {
  EXPECT_EQ(SetChooser(TwoPairs()).Choose({0b1111, 1}).set, 0b0001U);
  EXPECT_EQ(SetChooser(TwoPairs()).Choose({0b1110, 3}).set, 0b1110U);
}

// A triple of 60 GB/s (0, 1, 2) and a pair of 50 (3, 4), else 16.
SetShape TripleAndPair() {
  return ShapeOf({60, 60, 16, 16, 60, 16, 16, 16, 16, 50}, {-1, -1, -1, -1, -1});
}

TEST(SetChooser, ASensitivePodTakesTheBestLinkAnInsensitiveOneWhatOthersMissLeast) {
  // 0 and 1: 60 - 12 x (2 x 60 + 4 x 16) = -2148. 3 and 4: 50 - 12 x 6 x 16 = -1102.
  const SetChooser chooser(TripleAndPair());
  EXPECT_EQ(chooser.Choose({0b11111, 2, true}).set, 0b00011U);
  EXPECT_EQ(chooser.Choose({0b11111, 2, false}).set, 0b11000U);
}

TEST(SetChooser, NvlinkRequiredTakesOnlySetsThatAreAllNvlink) {
  // Of three cards only the triple; without card 0 none. One card needs no link.
  const SetChooser chooser(TripleAndPair());
  EXPECT_EQ(chooser.Choose({0b11111, 3, true, true}).set, 0b00111U);
  EXPECT_EQ(chooser.Choose({0b11110, 3, true, true}).set, 0U);
  EXPECT_FALSE(chooser.Choose({0b11110, 3, true, true}).cut_short);
  EXPECT_EQ(CountOf(chooser.Choose({0b10001, 1, true, true}).set), 1);
}

TEST(SetChooser, OneNumaNodeRequiredGivesUpABetterLink) {
  // 0-2 has 100 GB/s across NUMA nodes, 0-1 and 2-3 have 18 within.
  const SetChooser chooser(ShapeOf({18, 100, 16, 16, 16, 18}, {0, 0, 1, 1}));
  EXPECT_EQ(chooser.Choose({0b1111, 2}).set, 0b0101U);
  EXPECT_EQ(chooser.Choose({0b1111, 2, true, false, true}).set, 0b0011U);
  EXPECT_EQ(chooser.Choose({0b1111, 3, true, false, true}).set, 0U);
}

TEST(SetChooser, UnknownNumaNodesAreNotOneNode) {
  const SetChooser chooser(ShapeOf({18, 18, 18}, {-1, -1, 0}));
  EXPECT_EQ(chooser.Choose({0b111, 2, true, false, true}).set, 0U);
  EXPECT_EQ(CountOf(chooser.Choose({0b111, 1, true, false, true}).set), 1);
}

TEST(SetChooser, WhereLinksSayNothingAPairOfFreeCardsOfOneNumaNodeIsSpared) {
  // All 450 GB/s. Card 3 is in use, so card 2 has no free neighbour on its NUMA node.
  const SetChooser chooser(ShapeOf(std::vector<int>(6, 450), {0, 0, 1, 1}));
  EXPECT_EQ(chooser.Choose({0b0111, 1}).set, 0b0100U);
}

TEST(SetChooser, TheLargerPartOfAnEmptyNodeIsSplitWellWhenAsked) {
  // Triangle 0, 1, 2 of 40 GB/s; 3-4 has 10, else 30. {0,1,2}: its ring 40, that of 3 and 4 10.
  // {0,1,3}: 30, and 30 of 2 and 4.
  const SetShape shape = ShapeOf({40, 40, 30, 30, 40, 30, 30, 30, 30, 10}, {-1, -1, -1, -1, -1});
  const SetChooser chooser(shape);
  SetRequest request{0b11111, 3};
  EXPECT_EQ(chooser.Choose(request).set, 0b00111U);
  request.split_well = true;
  EXPECT_EQ(chooser.OrderOf(request), SetOrder::kSplitsWell);
  EXPECT_EQ(chooser.Choose(request).set, 0b01011U);
  EXPECT_EQ(chooser.ValueOf(0b01011, request).split_gbps, 60);
  // Not half of the node, or not all of it free, or insensitive: as ever.
  EXPECT_EQ(chooser.OrderOf({0b11111, 2, true, false, false, true}), SetOrder::kBestConnected);
  EXPECT_EQ(chooser.OrderOf({0b01111, 3, true, false, false, true}), SetOrder::kBestConnected);
  EXPECT_EQ(chooser.OrderOf({0b11111, 3, false, false, false, true}), SetOrder::kLeavesMost);
}

TEST(SetChooser, AnswersNothingWhereTooFewAreFree) {
  const SetChooser chooser(TwoPairs());
  EXPECT_EQ(chooser.Choose({0b0011, 3}).set, 0U);
  EXPECT_EQ(chooser.Choose({0b1111, 0}).set, 0U);
  EXPECT_EQ(chooser.Choose({0b1111, -1}).set, 0U);
  EXPECT_EQ(chooser.Choose({0b1111, 5}).set, 0U);
  // Bits above the node's cards are no cards.
  EXPECT_EQ(chooser.Choose({~CardSet{0b0011}, 3}).set, 0U);
  EXPECT_EQ(SetChooser(SetShape{}).Choose({0b1, 1}).set, 0U);
}

TEST(SetChooser, TheListIsRefusedWhenNobodyCouldReadIt) {
  const SetChooser chooser(ShapeBy(std::vector<int>(24, 0), [](int, int) { return 16; }));
  EXPECT_EQ(chooser.Ranked({chooser.shape().all(), 12}).status().message(),
            "24 cards have more than 200000 sets of 12; ask for fewer cards, or name fewer free "
            "ones");
  EXPECT_EQ(chooser.Ranked({chooser.shape().all(), 2}).value().size(), 276U);  // 24 x 23 / 2
  EXPECT_EQ(chooser.Ranked({chooser.shape().all(), 22}).value().size(), 276U);
  EXPECT_TRUE(chooser.Ranked({0b1, 2}).value().empty());
}

}  // namespace
}  // namespace aliquot::topology
