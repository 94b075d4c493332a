// SPDX-License-Identifier: Apache-2.0
// What annotations ask of a pod's cards, through the placer: one rule a test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scoring/placer.h"
#include "scoring/policy_registry.h"
#include "tests/unit/scoring/test_nodes.h"

namespace aliquot::scoring {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

class Wishes : public ::testing::Test {
 protected:
  // Check and Choose must agree; the cards, or none.
  Choice Choose(const TestNode& node, std::vector<model::ContainerDemand> containers) {
    model::PodDemand demand = Pod(std::move(containers));
    demand.wishes = wishes_;
    const Placer placer(options_, *FindPolicy("composite"));
    StepBudget budget(options_);
    StepBudget same_budget(options_);
    Choice choice = placer.Choose(node.state(), demand, budget);
    const Verdict checked = placer.Check(node.state(), demand, same_budget);
    EXPECT_EQ(checked.refusal, choice.verdict.refusal);
    EXPECT_EQ(checked.cut_short, choice.verdict.cut_short);
    return choice;
  }

  Refusal Refused(const TestNode& node, std::vector<model::ContainerDemand> containers) {
    return Choose(node, std::move(containers)).verdict.refusal;
  }

  PlacerOptions options_;
  model::CardWishes wishes_;
};

model::ContainerDemand Shares(int cards, int core, std::int64_t mib) {
  model::ContainerDemand share = Share(core, mib);
  share.cards = cards;
  return share;
}

CardState Full() { return Card(16384, 100, 0); }

// Two pairs by NVLink, 0-1 and 2-3; NUMA nodes 0, 1, 0, 1: no pair is both.
TestNode CrossedPairs(std::vector<CardState> cards) {
  return TestNode(std::move(cards), "NV2,PIX,SYS,SYS,PIX,NV2", {0, 1, 0, 1});
}

TEST_F(Wishes, OtherModelsDoNotCount) {
  TestNode node({Card(16384, 50, 0), Card(16384)});
  node.set_models({"Tesla T4", "NVIDIA A100"});
  wishes_.models = {"A100"};
  // By itself the share would go to the card in use.
  EXPECT_THAT(Choose(node, {Share(20, 256)}).cards, ElementsAre(ElementsAre(1)));
  EXPECT_THAT(Choose(node, {Whole(1)}).cards, ElementsAre(ElementsAre(1)));
  EXPECT_THAT(Choose(node, {Share(20, 256), Share(30, 256)}).cards,
              ElementsAre(ElementsAre(1), ElementsAre(1)));
  EXPECT_EQ(Refused(node, {Whole(2)}), Refusal::kTooFewCards);
}

TEST_F(Wishes, ANodeWithoutTheModelIsNeverTheOne) {
  TestNode node({Card(16384), Card(16384)});
  node.set_models({"T4", "T4"});
  wishes_.models = {"A100"};
  EXPECT_EQ(Refused(node, {Share(20, 256)}), Refusal::kNoSuchModel);
  wishes_.models.clear();
  wishes_.models_excluded = {"T4"};
  EXPECT_EQ(Refused(node, {Whole(1)}), Refusal::kNoSuchModel);
}

TEST_F(Wishes, OfTheRightModelThereMayBeTooLittleNow) {
  TestNode node({Full(), Card(16384)});
  node.set_models({"A100", "T4"});
  wishes_.models = {"A100"};
  EXPECT_EQ(Refused(node, {Share(20, 256)}), Refusal::kNotEnoughFree);
  EXPECT_EQ(Refused(node, {Whole(1)}), Refusal::kTooFewIdleCards);
  EXPECT_EQ(Refused(node, {Share(20, 256), Share(20, 256)}), Refusal::kNotEnoughFree);
}

TEST_F(Wishes, AnExcludedCardIsPassedOver) {
  const TestNode node({Card(16384), Card(16384)});
  wishes_.uuids_excluded = {"GPU-0"};
  EXPECT_THAT(Choose(node, {Whole(1)}).cards, ElementsAre(ElementsAre(1)));
}

TEST_F(Wishes, OnlyNamedCardsAreTaken) {
  const TestNode node({Card(16384), Card(16384), Card(16384)});
  wishes_.uuids = {"GPU-1", "GPU-2"};
  EXPECT_THAT(Choose(node, {Whole(2)}).cards, ElementsAre(ElementsAre(1, 2)));
  wishes_.uuids = {"GPU-elsewhere"};
  EXPECT_EQ(Refused(node, {Whole(1)}), Refusal::kNoSuchUuid);
}

TEST_F(Wishes, SharesGoToDifferentCards) {
  // Free: 40 %, 10 %, 50 %.
  const TestNode node({Card(16384, 60, 0), Card(16384, 90, 0), Card(16384, 50, 0)});
  EXPECT_THAT(Choose(node, {Shares(2, 20, 1024)}).cards, ElementsAre(ElementsAre(0, 2)));
  EXPECT_EQ(Refused(node, {Shares(3, 20, 1024)}), Refusal::kNotEnoughFree);
  EXPECT_EQ(Refused(node, {Shares(4, 5, 256)}), Refusal::kTooFewCards);
}

TEST_F(Wishes, LinkedByNvlinkPairByPair) {
  wishes_.all_nvlink = true;
  EXPECT_THAT(
      Choose(CrossedPairs({Full(), Card(16384), Card(16384), Card(16384)}), {Whole(2)}).cards,
      ElementsAre(ElementsAre(2, 3)));
  // Free are 1 and 2, in different pairs.
  EXPECT_EQ(Refused(CrossedPairs({Full(), Card(16384), Card(16384), Full()}), {Whole(2)}),
            Refusal::kNvlinkedTaken);
  // Three linked with each other there are not, even when all are free.
  EXPECT_EQ(Refused(CrossedPairs({Full(), Card(16384), Card(16384), Full()}), {Whole(3)}),
            Refusal::kNotNvlinked);
}

TEST_F(Wishes, OnOneNumaNode) {
  wishes_.one_numa = true;
  EXPECT_THAT(
      Choose(CrossedPairs({Full(), Card(16384), Card(16384), Card(16384)}), {Whole(2)}).cards,
      ElementsAre(ElementsAre(1, 3)));
  EXPECT_EQ(Refused(CrossedPairs({Full(), Card(16384), Card(16384), Full()}), {Whole(2)}),
            Refusal::kNumaTaken);
  EXPECT_EQ(Refused(CrossedPairs({Card(16384), Card(16384), Card(16384), Full()}), {Whole(3)}),
            Refusal::kNotOneNuma);
}

TEST_F(Wishes, BothAtOnceMayBeTooMuch) {
  // Each alone has pairs, no pair is both: NVLink alone would do, so NUMA is named.
  wishes_.all_nvlink = true;
  wishes_.one_numa = true;
  EXPECT_EQ(Refused(CrossedPairs({Card(16384), Card(16384), Card(16384), Card(16384)}), {Whole(2)}),
            Refusal::kNotOneNuma);
}

TEST_F(Wishes, OneCardKeepsEveryWish) {
  wishes_.all_nvlink = true;
  wishes_.one_numa = true;
  const TestNode node({Card(16384)}, "", {-1});
  EXPECT_THAT(Choose(node, {Whole(1)}).cards, ElementsAre(ElementsAre(0)));
  EXPECT_THAT(Choose(node, {Share(20, 256), Share(30, 256)}).cards,
              ElementsAre(ElementsAre(0), ElementsAre(0)));
}

TEST_F(Wishes, SharesOnSeveralCardsKeepThem) {
  wishes_.all_nvlink = true;
  // The tightest cards, 0 and 2, are not linked.
  const TestNode node =
      CrossedPairs({Card(16384, 60, 0), Card(16384), Card(16384, 60, 0), Card(16384)});
  const Choice choice = Choose(node, {Shares(2, 20, 1024)});
  ASSERT_TRUE(choice.verdict.fits());
  EXPECT_THAT(choice.cards, ElementsAre(ElementsAre(0, 1)));
}

TEST_F(Wishes, AllContainersOfThePodKeepThem) {
  wishes_.one_numa = true;
  // Two of 60 % need two cards; 0 and 2 are on NUMA node 0, but 2 is full.
  EXPECT_THAT(Choose(CrossedPairs({Card(16384), Card(16384), Full(), Card(16384)}),
                     {Share(60, 256), Share(60, 256)})
                  .cards,
              UnorderedElementsAre(ElementsAre(1), ElementsAre(3)));
  EXPECT_EQ(Refused(CrossedPairs({Card(16384), Card(16384), Full(), Full()}),
                    {Share(60, 256), Share(60, 256)}),
            Refusal::kNumaTaken);
}

TEST_F(Wishes, InitContainersKeepThemToo) {
  wishes_.one_numa = true;
  // The init container's 16 GiB are on card 1 only, so the app must follow it to NUMA node 1.
  const TestNode node({Card(8192), Card(16384), Card(8192), Card(8192)}, "", {0, 1, 0, 1});
  EXPECT_THAT(Choose(node, {Share(10, 16384, kInit), Whole(2)}).cards,
              ElementsAre(ElementsAre(1), ElementsAre(1, 3)));
}

TEST_F(Wishes, WhatIsNotInTheWayIsNotNamed) {
  wishes_.all_nvlink = true;
  const TestNode full = CrossedPairs({Full(), Full(), Full(), Card(16384)});
  EXPECT_EQ(Refused(full, {Whole(2)}), Refusal::kTooFewIdleCards);
  EXPECT_EQ(Refused(full, {Whole(5)}), Refusal::kTooFewCards);
}

TEST_F(Wishes, WithoutStepsTheGreedyAnswerKeepsThemToo) {
  wishes_.one_numa = true;
  options_.steps_per_node = 0;
  const Choice choice = Choose(CrossedPairs({Card(16384), Card(16384), Card(16384), Card(16384)}),
                               {Share(60, 256), Share(60, 256)});
  EXPECT_THAT(choice.cards, ElementsAre(ElementsAre(0), ElementsAre(2)));
  // Greedy starts at card 0, whose NUMA node has no other free card: refused, not broken.
  const Choice refused = Choose(CrossedPairs({Card(16384), Card(16384), Full(), Card(16384)}),
                                {Share(60, 256), Share(60, 256)});
  EXPECT_FALSE(refused.verdict.fits());
  EXPECT_TRUE(refused.verdict.cut_short);
  // The same for one container.
  const Choice one =
      Choose(CrossedPairs({Card(16384), Card(16384), Full(), Card(16384)}), {Whole(2)});
  EXPECT_EQ(one.verdict.refusal, Refusal::kNumaTaken);
  EXPECT_TRUE(one.verdict.cut_short);
}

TEST_F(Wishes, TheBestConnectedOfTheSetsThatKeepThem) {
  // 0-1 NV1, 2-3 NV4, across SYS, but 1-2 are NV8: best of all, on two NUMA nodes.
  wishes_.one_numa = true;
  const TestNode node({Card(16384), Card(16384), Card(16384), Card(16384)},
                      "NV1,SYS,SYS,NV8,SYS,NV4", {0, 0, 1, 1});
  EXPECT_THAT(Choose(node, {Whole(2)}).cards, ElementsAre(ElementsAre(2, 3)));
  wishes_.one_numa = false;
  EXPECT_THAT(Choose(node, {Whole(2)}).cards, ElementsAre(ElementsAre(1, 2)));
}

TEST_F(Wishes, PlacementSaysWhetherLinksOrWhatRemainsComesFirst) {
  // 0, 1 and 2 are linked at 200 GB/s, 3 and 4 at 100, the rest at 16. Without need of bandwidth
  // the pair 3-4 leaves most: 100 - 12 x 6 x 16 against 200 - 12 x (2 x 200 + 4 x 16) for 0-1.
  const TestNode node(std::vector<CardState>(5, Card(16384)),
                      "NV8,NV8,SYS,SYS,NV8,SYS,SYS,SYS,SYS,NV4");
  EXPECT_THAT(Choose(node, {Whole(2)}).cards, ElementsAre(ElementsAre(0, 1)));
  wishes_.placement = model::Placement::kTopology;
  EXPECT_THAT(Choose(node, {Whole(2)}).cards, ElementsAre(ElementsAre(0, 1)));
  wishes_.placement = model::Placement::kBinpack;
  EXPECT_THAT(Choose(node, {Whole(2)}).cards, ElementsAre(ElementsAre(3, 4)));
  wishes_.placement = model::Placement::kSpread;
  EXPECT_THAT(Choose(node, {Whole(2)}).cards, ElementsAre(ElementsAre(3, 4)));
}

TEST_F(Wishes, PlacementChoosesThePolicy) {
  const TestNode node({Card(16384, 50, 0), Card(16384)});
  wishes_.placement = model::Placement::kSpread;
  EXPECT_THAT(Choose(node, {Share(20, 256)}).cards, ElementsAre(ElementsAre(1)));
  wishes_.placement = model::Placement::kBinpack;
  EXPECT_THAT(Choose(node, {Share(20, 256)}).cards, ElementsAre(ElementsAre(0)));

  const Placer placer(options_, *FindPolicy("first-fit"));
  model::PodDemand demand = Pod({Share(20, 256)});
  EXPECT_EQ(placer.PolicyFor(demand).name(), "first-fit");
  demand.wishes.placement = model::Placement::kTopology;
  EXPECT_EQ(placer.PolicyFor(demand).name(), "topology");
}

}  // namespace
}  // namespace aliquot::scoring
