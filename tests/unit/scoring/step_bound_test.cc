// SPDX-License-Identifier: Apache-2.0
// The exact search is bounded by steps: per node, per request, never by a clock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scoring/composite.h"
#include "scoring/greedy.h"
#include "scoring/placer.h"
#include "tests/unit/scoring/test_nodes.h"

namespace aliquot::scoring {
namespace {

using ::testing::ElementsAre;

// Nine shares of 51 % for eight cards: 459 % of 800 %, but one a card, so the ninth has none. Cards
// that differ in memory are not alike: 8! orders of the first eight lead to nothing.
TestNode EightDifferentCards(int core_used) {
  std::vector<CardState> cards;
  for (int i = 0; i < 8; ++i) {
    cards.push_back(Card(16384 + 256 * i, core_used, 0));
  }
  return TestNode(cards);
}

model::PodDemand NineLargeShares() { return Pod(std::vector(9, Share(51, 256))); }

TEST(StepBound, AnExplodingPodEndsWithinItsStepsAndSaysSo) {
  const Composite policy;
  const PlacerOptions options;
  const Placer placer(options, policy);
  StepBudget budget(options);
  const TestNode node = EightDifferentCards(1);
  const Verdict verdict = placer.Check(node.state(), {NineLargeShares(), false}, budget);
  EXPECT_EQ(verdict.refusal, Refusal::kNotTogether);
  EXPECT_TRUE(verdict.cut_short);
  EXPECT_EQ(budget.left(), options.steps_per_request - options.steps_per_node);
}

TEST(StepBound, TheMostContainersOnManyDifferentCardsEndToo) {
  // Sixteen shares of 51 to 66 % on fifteen cards: 936 % of 1485 %, but one a card.
  const Composite policy;
  const PlacerOptions options;
  std::vector<CardState> cards;
  std::vector<model::ContainerDemand> containers;
  for (int i = 0; i < 16; ++i) {
    containers.push_back(Share(51 + i, 256));
    if (i < 15) {
      cards.push_back(Card(16384 + 256 * i, 1, 0));
    }
  }
  StepBudget budget(options);
  const TestNode node(cards);
  const Verdict verdict =
      Placer(options, policy).Check(node.state(), {Pod(containers), false}, budget);
  EXPECT_EQ(verdict.refusal, Refusal::kNotTogether);
  EXPECT_TRUE(verdict.cut_short);
  EXPECT_EQ(budget.left(), options.steps_per_request - options.steps_per_node);
}

TEST(StepBound, OneRequestRunsOutOverManyNodesAndThenAnswersGreedily) {
  const Composite policy;
  PlacerOptions options;
  options.steps_per_node = 1000;
  options.steps_per_request = 2500;
  const Placer placer(options, policy);
  StepBudget budget(options);
  const TestNode node = EightDifferentCards(1);
  for (const int left : {1500, 500, 0, 0}) {
    EXPECT_TRUE(placer.Check(node.state(), {NineLargeShares(), false}, budget).cut_short);
    EXPECT_EQ(budget.left(), left);
  }
}

TEST(StepBound, IdenticalCardsAreTriedOnceSoThatAProofIsShort) {
  const Composite policy;
  const PlacerOptions options;
  const Placer placer(options, policy);
  StepBudget budget(options);
  const TestNode node(std::vector<CardState>(8, Card(16384, 1, 0)));
  const Verdict verdict = placer.Check(node.state(), {NineLargeShares(), false}, budget);
  // Proven, for now and for the empty node: the sum of 8 x 99 % and 8 x 100 % would do.
  EXPECT_EQ(verdict.refusal, Refusal::kTooFewCards);
  EXPECT_FALSE(verdict.cut_short);
  EXPECT_LT(options.steps_per_request - budget.left(), 100);
}

TEST(StepBound, WithoutStepsTheGreedyAnswerStands) {
  const Composite policy;
  PlacerOptions options;
  options.steps_per_node = 0;
  const Placer placer(options, policy);
  StepBudget budget(options);
  // First fit decreasing: 60 to card 0 (60 % free), 30 to card 1 (30 % free).
  const TestNode node({Card(16384, 40, 0), Card(16384, 70, 0)});
  const Choice choice =
      placer.Choose(node.state(), {Pod({Share(30, 256), Share(60, 256)}), false}, budget);
  EXPECT_TRUE(choice.verdict.fits());
  EXPECT_TRUE(choice.verdict.cut_short);
  EXPECT_THAT(choice.cards, ElementsAre(ElementsAre(1), ElementsAre(0)));
}

TEST(StepBound, APodThatOneCardHoldsFitsEvenWithoutStepsAndWithoutGreed) {
  // Check needs no search to see that card 1 holds all of it (50 %, 13 GiB); Choose must agree.
  const Composite policy;
  PlacerOptions options;
  options.steps_per_node = 0;
  const TestNode node({Card(16384, 60, 0), Card(13312), Card(16384, 100, 0)});
  const model::PodDemand demand = Pod({Share(40, 5120), Share(10, 8192)});
  StepBudget budget(options);
  const Placer placer(options, policy);
  EXPECT_TRUE(placer.Check(node.state(), demand, budget).fits());
  const Choice choice = placer.Choose(node.state(), demand, budget);
  EXPECT_TRUE(choice.verdict.fits());
  EXPECT_FALSE(choice.verdict.cut_short);
  EXPECT_THAT(choice.cards, ElementsAre(ElementsAre(1), ElementsAre(1)));
}

TEST(StepBound, TheGreedyAnswerMayMissWhatTheExactSearchFinds) {
  // Memory contradicts core (as in JointFit): first fit puts 30 % on card 0 and is stuck.
  const Composite policy;
  const TestNode node({Card(16384, 70, 6656), Card(16384, 55, 8192)});
  const model::PodDemand demand = Pod({Share(30, 1024), Share(20, 9216)});
  PlacerOptions options;
  StepBudget budget(options);
  EXPECT_TRUE(Placer(options, policy).Check(node.state(), demand, budget).fits());
  options.steps_per_node = 0;
  const Verdict verdict = Placer(options, policy).Check(node.state(), demand, budget);
  EXPECT_EQ(verdict.refusal, Refusal::kNotTogether);
  EXPECT_TRUE(verdict.cut_short);
}

TEST(StepBound, TheSameRequestGivesTheSameAnswer) {
  const Composite policy;
  PlacerOptions options;
  options.steps_per_node = 50;
  const Placer placer(options, policy);
  const TestNode node = EightDifferentCards(1);
  const model::PodDemand demand = Pod(std::vector(7, Share(51, 256)));
  StepBudget first_budget(options);
  const Choice first = placer.Choose(node.state(), demand, first_budget);
  StepBudget second_budget(options);
  const Choice second = placer.Choose(node.state(), demand, second_budget);
  EXPECT_EQ(first.cards, second.cards);
  EXPECT_EQ(first_budget.left(), second_budget.left());
}

TEST(Greedy, AnInitContainerTakesThePodsOwnCardsFirst) {
  // The app of 60 % fits card 1 only; card 0 would be the lowest card for the init container.
  const TestNode node({Card(16384, 70, 0), Card(16384)});
  const NodeState state = node.state();
  const model::PodDemand demand = Pod({Share(20, 256, kInit), Share(60, 256)});
  PodLayout layout(state, demand, 16);
  ASSERT_TRUE(PlaceGreedily(layout, OrderOf(demand)));
  model::CardsOfContainers cards;
  layout.CopyTo(cards);
  EXPECT_THAT(cards, ElementsAre(ElementsAre(1), ElementsAre(1)));
}

}  // namespace
}  // namespace aliquot::scoring
