// SPDX-License-Identifier: Apache-2.0
// Pods with one GPU container: the paths without a search.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scoring/composite.h"
#include "scoring/placer.h"
#include "tests/unit/scoring/test_nodes.h"

namespace aliquot::scoring {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class PlacerSingle : public ::testing::Test {
 protected:
  Refusal Check(const TestNode& node, const model::ContainerDemand& container) {
    StepBudget budget(options_);
    const Placer placer(options_, policy_);
    const model::PodDemand demand = Pod({container});
    const Refusal checked = placer.Check(node.state(), demand, budget).refusal;
    const Choice choice = placer.Choose(node.state(), demand, budget);
    EXPECT_EQ(choice.verdict.refusal, checked);
    EXPECT_EQ(choice.cards.empty(), !choice.verdict.fits());
    EXPECT_EQ(budget.left(), options_.steps_per_request) << "no search for one container";
    return checked;
  }

  std::vector<int> Choose(const TestNode& node, const model::ContainerDemand& container) {
    StepBudget budget(options_);
    const Choice choice =
        Placer(options_, policy_).Choose(node.state(), {Pod({container}), false}, budget);
    return choice.cards.empty() ? std::vector<int>() : choice.cards[0];
  }

  PlacerOptions options_;
  const Composite policy_;
};

TEST_F(PlacerSingle, AShareFitsWhereBothCoreAndMemoryAreLeft) {
  // Free: 20 % and 3840 MiB, exactly what is asked.
  EXPECT_EQ(Check(TestNode({Card(16384, 80, 12544)}), Share(20, 3840)), Refusal::kNone);
  EXPECT_EQ(Check(TestNode({Card(16384, 81, 12544)}), Share(20, 3840)), Refusal::kNotEnoughFree);
  EXPECT_EQ(Check(TestNode({Card(16384, 80, 12545)}), Share(20, 3840)), Refusal::kNotEnoughFree);
}

TEST_F(PlacerSingle, CoreOnOneCardAndMemoryOnAnotherIsNotOnOneCard) {
  // Card 0: 10 % and 16 GiB free. Card 1: 90 % and 1 GiB free. Sum: 100 % and 17 GiB.
  const TestNode node({Card(16384, 90, 0), Card(16384, 10, 15360)});
  EXPECT_EQ(Check(node, Share(20, 3840)), Refusal::kNotOnOneCard);
}

TEST_F(PlacerSingle, NotOnOneCardNeedsBothSums) {
  // Sum of free core 20 %, enough; sum of free memory 2 GiB, not enough for 3 GiB.
  const TestNode node({Card(16384, 90, 15360), Card(16384, 90, 15360)});
  EXPECT_EQ(Check(node, Share(20, 3072)), Refusal::kNotEnoughFree);
  EXPECT_EQ(Check(node, Share(20, 2048)), Refusal::kNotOnOneCard);
}

TEST_F(PlacerSingle, AnUnusableCardLendsNothingToTheSum) {
  const TestNode node({Card(16384, 90, 0), UnusableCard(16384)});
  EXPECT_EQ(Check(node, Share(20, 1024)), Refusal::kNotEnoughFree);
}

TEST_F(PlacerSingle, AnOverBookedCardTakesNothingFromTheSum) {
  // Others booked 150 % of card 0: its free core is none, not -50 %.
  const TestNode node({Card(16384, 150, 0), Card(16384, 90, 0), Card(16384, 90, 0)});
  EXPECT_EQ(Check(node, Share(20, 1024)), Refusal::kNotOnOneCard);
}

TEST_F(PlacerSingle, MemoryAboveEveryCardNeverFits) {
  EXPECT_EQ(Check(TestNode({Card(16384), Card(16384)}), Share(20, 16640)), Refusal::kCardTooSmall);
}

TEST_F(PlacerSingle, MemoryBeyondThirtyTwoBitsIsNotCutOff) {
  EXPECT_EQ(Check(TestNode({Card(16384)}), Share(20, (std::int64_t{1} << 32) + 1024)),
            Refusal::kCardTooSmall);
}

TEST_F(PlacerSingle, ACardWithItsMostSharersTakesNoMore) {
  options_.max_sharers_per_card = 2;
  EXPECT_EQ(Check(TestNode({Card(16384, 10, 1024, 1)}), Share(10, 256)), Refusal::kNone);
  EXPECT_EQ(Check(TestNode({Card(16384, 10, 1024, 2)}), Share(10, 256)), Refusal::kSharersLimit);
}

TEST_F(PlacerSingle, WholeCardsCountIdleUsableCards) {
  const TestNode node({Card(16384), Card(16384, 1, 0), UnusableCard(16384), Card(16384)});
  EXPECT_EQ(Check(node, Whole(2)), Refusal::kNone);
  EXPECT_EQ(Check(node, Whole(3)), Refusal::kTooFewIdleCards);
  EXPECT_EQ(Check(node, Whole(4)), Refusal::kTooFewCards);
}

TEST_F(PlacerSingle, ACardWithAPodOfNoShareIsNotIdle) {
  EXPECT_EQ(Check(TestNode({Card(16384, 0, 0, 1)}), Whole(1)), Refusal::kTooFewIdleCards);
}

TEST_F(PlacerSingle, AShareOfSeveralCardsNeedsThatManyDifferentCards) {
  model::ContainerDemand two = Share(50, 1024);
  two.cards = 2;
  EXPECT_EQ(Choose(TestNode({Card(16384), Card(16384, 60, 0), Card(16384, 50, 0)}), two),
            (std::vector<int>{0, 2}));
  EXPECT_EQ(Check(TestNode({Card(16384), Card(16384, 60, 0)}), two), Refusal::kNotEnoughFree);
  EXPECT_EQ(Check(TestNode({Card(16384)}), two), Refusal::kTooFewCards);
  EXPECT_EQ(Check(TestNode({Card(16384), Card(512)}), two), Refusal::kCardTooSmall);
}

TEST_F(PlacerSingle, AnInitContainerAloneIsPlacedLikeAnyOther) {
  EXPECT_THAT(Choose(TestNode({Card(16384, 90, 0), Card(16384)}), Share(20, 256, kInit)),
              ElementsAre(1));
}

TEST_F(PlacerSingle, APodThatAsksForNothingFits) {
  StepBudget budget(options_);
  const TestNode node({Card(16384)});
  const Choice choice =
      Placer(options_, policy_).Choose(node.state(), {model::PodDemand(), false}, budget);
  EXPECT_TRUE(choice.verdict.fits());
  EXPECT_THAT(choice.cards, IsEmpty());
}

TEST_F(PlacerSingle, AChoiceUsedAgainHoldsOnlyTheLastAnswer) {
  const Placer placer(options_, policy_);
  StepBudget budget(options_);
  Choice choice;
  const TestNode roomy({Card(16384), Card(16384)});
  const TestNode full({Card(16384, 100, 0)});
  placer.ChooseInto(roomy.state(), {Pod({Whole(2)}), false}, budget, choice);
  EXPECT_THAT(choice.cards, ElementsAre(ElementsAre(0, 1)));
  placer.ChooseInto(roomy.state(), {Pod({Share(10, 256)}), false}, budget, choice);
  EXPECT_THAT(choice.cards, ElementsAre(ElementsAre(0)));
  placer.ChooseInto(full.state(), {Pod({Share(10, 256)}), false}, budget, choice);
  EXPECT_FALSE(choice.verdict.fits());
  EXPECT_THAT(choice.cards, IsEmpty());
}

}  // namespace
}  // namespace aliquot::scoring
