// SPDX-License-Identifier: Apache-2.0
// Pods with several GPU containers: one rule a test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scoring/composite.h"
#include "scoring/placer.h"
#include "scoring/spread.h"
#include "tests/unit/scoring/test_nodes.h"

namespace aliquot::scoring {
namespace {

using ::testing::ElementsAre;

class JointFit : public ::testing::Test {
 protected:
  Choice Choose(const TestNode& node, std::vector<model::ContainerDemand> containers) {
    return ChooseBy(policy_, node, std::move(containers));
  }

  Choice ChooseBy(const Policy& policy, const TestNode& node,
                  std::vector<model::ContainerDemand> containers) {
    const Placer placer(options_, policy);
    const model::PodDemand demand = Pod(std::move(containers));
    StepBudget budget(options_);
    StepBudget same_budget(options_);
    const Verdict checked = placer.Check(node.state(), demand, same_budget);
    Choice choice = placer.Choose(node.state(), demand, budget);
    EXPECT_EQ(choice.verdict.refusal, checked.refusal);
    EXPECT_EQ(choice.verdict.cut_short, checked.cut_short);
    // Check needs no search when one card holds the pod; Choose looks for the preferred cards.
    EXPECT_LE(budget.left(), same_budget.left());
    return choice;
  }

  Refusal Refused(const TestNode& node, std::vector<model::ContainerDemand> containers) {
    return Choose(node, std::move(containers)).verdict.refusal;
  }

  PlacerOptions options_;
  const Composite policy_;
};

TEST_F(JointFit, AppContainersOfOnePodShareACardWhenItHoldsThem) {
  const TestNode node({Card(16384), Card(16384)});
  EXPECT_THAT(Choose(node, {Share(30, 1024), Share(40, 1024)}).cards,
              ElementsAre(ElementsAre(0), ElementsAre(0)));
}

TEST_F(JointFit, BacktracksWhenTheTightestCardIsNeededByAnother) {
  // Free: card 0 60 %, card 1 50 %. 50 first takes the tightest, card 1; 60 fits only card 0.
  // With 60 asked first in the spec the same.
  const TestNode node({Card(16384, 40, 0), Card(16384, 50, 0)});
  EXPECT_THAT(Choose(node, {Share(50, 256), Share(60, 256)}).cards,
              ElementsAre(ElementsAre(1), ElementsAre(0)));
  EXPECT_THAT(Choose(node, {Share(60, 256), Share(50, 256)}).cards,
              ElementsAre(ElementsAre(0), ElementsAre(1)));
}

TEST_F(JointFit, BacktracksWhenMemoryContradictsCore) {
  // The larger share, 30 % and 1 GiB, likes card 0 (tightest), but then 20 % and 9 GiB fits
  // nowhere: card 1 has 8 GiB. Free: card 0 30 % and 9.5 GiB, card 1 45 % and 8 GiB.
  const TestNode node({Card(16384, 70, 6656), Card(16384, 55, 8192)});
  EXPECT_THAT(Choose(node, {Share(30, 1024), Share(20, 9216)}).cards,
              ElementsAre(ElementsAre(1), ElementsAre(0)));
}

TEST_F(JointFit, EachFitsAloneButNotTogetherIsSaid) {
  // Free 60 % on card 0, 40 % on card 1, 100 % in sum; 50 and 50 need two cards with 50.
  const TestNode node({Card(16384, 40, 0), Card(16384, 60, 0)});
  EXPECT_EQ(Refused(node, {Share(50, 256), Share(50, 256)}), Refusal::kNotTogether);
}

TEST_F(JointFit, WhenTheSumIsTooLittleThatIsTheReason) {
  // Free 60 % in all; 40 + 40 = 80.
  const TestNode node({Card(16384, 40, 0)});
  EXPECT_EQ(Refused(node, {Share(40, 256), Share(40, 256)}), Refusal::kNotEnoughFree);
}

TEST_F(JointFit, WhatAnEmptyNodeCouldNotHoldNeverFits) {
  // 60 + 60 on one card of 100 %: never, though each fits.
  EXPECT_EQ(Refused(TestNode({Card(16384)}), {Share(60, 256), Share(60, 256)}),
            Refusal::kTooFewCards);
  EXPECT_EQ(Refused(TestNode({Card(16384, 10, 0)}), {Share(60, 256), Share(60, 256)}),
            Refusal::kTooFewCards);
  // Three of 60 % on two cards: the sum of 180 % would do, no packing does.
  EXPECT_EQ(Refused(TestNode({Card(16384), Card(16384)}),
                    {Share(60, 256), Share(60, 256), Share(60, 256)}),
            Refusal::kTooFewCards);
  // 9 GiB + 9 GiB on a card of 16 GiB.
  EXPECT_EQ(Refused(TestNode({Card(16384)}), {Share(10, 9216), Share(10, 9216)}),
            Refusal::kTooFewCards);
}

TEST_F(JointFit, AContainerThatNeverFitsComesBeforeOneThatDoesNotFitNow) {
  EXPECT_EQ(Refused(TestNode({Card(16384, 90, 0)}), {Share(20, 256), Share(10, 20480)}),
            Refusal::kCardTooSmall);
}

TEST_F(JointFit, InitContainersRunOneByOneSoTheirPeakCounts) {
  // Two init containers of 80 % and an app of 50 % on one card: the peak is 80 %.
  const TestNode node({Card(16384, 20, 0)});
  EXPECT_TRUE(
      Choose(node, {Share(80, 256, kInit), Share(80, 256, kInit), Share(50, 256)}).verdict.fits());
}

TEST_F(JointFit, ASidecarRunsBesideLaterInitContainersOnly) {
  // One card. Sidecar 30 before init 80: 110 at once, never. Init 80 before sidecar 30: peak 80.
  const TestNode node({Card(16384)});
  EXPECT_EQ(Refused(node, {Share(30, 256, kSidecar), Share(80, 256, kInit)}),
            Refusal::kTooFewCards);
  EXPECT_TRUE(Choose(node, {Share(80, 256, kInit), Share(30, 256, kSidecar)}).verdict.fits());
}

TEST_F(JointFit, ASidecarMovesAwayFromTheOnlyCardOfALaterInitContainer) {
  // The init container needs 16 GiB: card 1 only. The sidecar would like card 1, the tighter one
  // by core (60 % used), but must leave its memory free.
  const TestNode node({Card(8192, 50, 0), Card(16384, 10, 0)});
  const Choice choice = Choose(node, {Share(10, 1024, kSidecar), Share(50, 16384, kInit)});
  EXPECT_THAT(choice.cards, ElementsAre(ElementsAre(0), ElementsAre(1)));
}

TEST_F(JointFit, AnInitContainerGoesToTheCardOfItsApp) {
  // App 60 % and init 20 %: on one card the peak is 60 %, on two it would be 80 %.
  // Card 1 would be the tighter card for the init container (20 % free).
  const TestNode node({Card(16384, 40, 0), Card(16384, 80, 0)});
  EXPECT_THAT(Choose(node, {Share(20, 256, kInit), Share(60, 256)}).cards,
              ElementsAre(ElementsAre(0), ElementsAre(0)));
}

TEST_F(JointFit, AnAppGoesToTheCardOfItsLargerInitContainer) {
  // Init 60 % fits card 0 only; the app of 20 % would be tighter on card 1, and is free on card 0.
  const TestNode node({Card(16384, 40, 0), Card(16384, 80, 0)});
  EXPECT_THAT(Choose(node, {Share(60, 256, kInit), Share(20, 256)}).cards,
              ElementsAre(ElementsAre(0), ElementsAre(0)));
}

TEST_F(JointFit, SteeringHoldsForAPolicyThatSpreads) {
  const Spread spread;
  const TestNode node({Card(16384), Card(16384)});
  EXPECT_THAT(ChooseBy(spread, node, {Share(20, 256, kInit), Share(60, 1024)}).cards,
              ElementsAre(ElementsAre(0), ElementsAre(0)));
}

TEST_F(JointFit, APolicyThatSpreadsSeesWhatThePodTookAlready) {
  const Spread spread;
  const TestNode node({Card(16384), Card(16384)});
  EXPECT_THAT(ChooseBy(spread, node, {Share(30, 256), Share(20, 256)}).cards,
              ElementsAre(ElementsAre(0), ElementsAre(1)));
}

TEST_F(JointFit, WholeCardsAndAShareTakeDifferentCards) {
  const TestNode node({Card(16384), Card(16384), Card(16384, 50, 0)});
  EXPECT_THAT(Choose(node, {Share(20, 256), Whole(2)}).cards,
              ElementsAre(ElementsAre(2), ElementsAre(0, 1)));
}

TEST_F(JointFit, TwoAppContainersNeverShareAWholeCard) {
  EXPECT_EQ(Refused(TestNode({Card(16384), Card(16384), Card(16384)}), {Whole(2), Whole(2)}),
            Refusal::kTooFewCards);
  EXPECT_THAT(Choose(TestNode({Card(1024), Card(1024), Card(1024)}), {Whole(1), Whole(2)}).cards,
              ElementsAre(ElementsAre(2), ElementsAre(0, 1)));
}

TEST_F(JointFit, AWholeCardInitContainerTakesTheCardsOfItsApp) {
  const TestNode node({Card(16384), Card(16384), Card(16384)});
  EXPECT_THAT(Choose(node, {Whole(2, kInit), Whole(1), Share(20, 256)}).cards,
              ElementsAre(ElementsAre(0, 1), ElementsAre(0), ElementsAre(1)));
}

TEST_F(JointFit, AWholeCardInitContainerNeedsACardFreeOfEarlierSidecars) {
  const TestNode node({Card(16384), Card(16384)});
  const Choice choice = Choose(node, {Share(10, 256, kSidecar), Whole(1, kInit)});
  EXPECT_THAT(choice.cards, ElementsAre(ElementsAre(0), ElementsAre(1)));
  EXPECT_EQ(Refused(TestNode({Card(16384)}), {Share(10, 256, kSidecar), Whole(1, kInit)}),
            Refusal::kTooFewCards);
}

TEST_F(JointFit, AWholeCardLeavesTheLargeCardToTheShareThatNeedsIt) {
  // Ties of links would give cards 0 and 1, but only card 0 has the share's 20 GiB.
  const TestNode node({Card(24576), Card(16384), Card(16384)});
  EXPECT_THAT(Choose(node, {Whole(2), Share(10, 20480)}).cards,
              ElementsAre(ElementsAre(1, 2), ElementsAre(0)));
}

TEST_F(JointFit, AShareOfSeveralCardsTakesDifferentOnes) {
  model::ContainerDemand two = Share(50, 1024);
  two.cards = 2;
  // 50 on two cards beside 60: only cards 0 and 1 can take 50 when 60 sits on card 2.
  const TestNode node({Card(16384, 50, 0), Card(16384, 45, 0), Card(16384, 20, 0)});
  EXPECT_THAT(Choose(node, {two, Share(60, 256)}).cards,
              ElementsAre(ElementsAre(0, 1), ElementsAre(2)));
}

TEST_F(JointFit, APodCountsOncePerCardForTheSharersLimit) {
  options_.max_sharers_per_card = 2;
  EXPECT_TRUE(
      Choose(TestNode({Card(16384, 10, 256, 1)}), {Share(10, 256), Share(10, 256), Share(10, 256)})
          .verdict.fits());
  EXPECT_EQ(Refused(TestNode({Card(16384, 10, 256, 2)}), {Share(10, 256), Share(10, 256)}),
            Refusal::kSharersLimit);
}

}  // namespace
}  // namespace aliquot::scoring
