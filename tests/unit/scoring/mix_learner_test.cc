// SPDX-License-Identifier: Apache-2.0
#include "scoring/mix_learner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scoring/mix_head.h"
#include "tests/unit/scoring/outlooks.h"
#include "tests/unit/scoring/test_nodes.h"

namespace aliquot::scoring {
namespace {

MixOptions WithoutAssumptions() {
  MixOptions options;
  options.assumed_pods = 0;
  return options;
}

// What the outlook says of pods of that size, in percent of all.
int PercentOf(const Outlook& outlook, int cards, int core) {
  std::int64_t weight = 0;
  for (const PodClass& each : outlook.classes) {
    weight += each.cards == cards && each.core == core ? each.weight : 0;
  }
  return static_cast<int>((weight * 100 + (1 << 19)) >> 20);
}

TEST(ClassOf, OneContainerIsItsCardsAndShare) {
  EXPECT_EQ(ClassOf(Pod({Share(20, 256)})).core, 20);
  EXPECT_EQ(ClassOf(Pod({Share(20, 256)})).cards, 1);
  EXPECT_EQ(ClassOf(Pod({Whole(4)})).cards, 4);
  EXPECT_EQ(ClassOf(Pod({Whole(4)})).core, 100);
}

TEST(ClassOf, SharesThatFitOnOneCardAreOne) {
  // The init container is gone before the others run: 30 + 40.
  const PodClass together = ClassOf(Pod({Share(50, 256, kInit), Share(30, 256), Share(40, 256)}));
  EXPECT_EQ(together.cards, 1);
  EXPECT_EQ(together.core, 70);
  // 60 + 70 fit on no card: as two cards of the larger.
  const PodClass apart = ClassOf(Pod({Share(60, 256), Share(70, 256)}));
  EXPECT_EQ(apart.cards, 2);
  EXPECT_EQ(apart.core, 70);
}

TEST(ClassOf, WholeCardsOutweighShares) {
  const PodClass mixed = ClassOf(Pod({Whole(2), Share(30, 256), Whole(1)}));
  EXPECT_EQ(mixed.cards, 3);
  EXPECT_EQ(mixed.core, 100);
}

TEST(ClassOf, KeepsWhatItAsksOfTheHostAndTheModels) {
  model::PodDemand demand = Pod({Whole(1)});
  demand.host = {4000, 1024};
  demand.wishes.models = {"A100", "H100"};
  EXPECT_EQ(ClassOf(demand).host, (model::HostAmount{4000, 1024}));
  EXPECT_THAT(ClassOf(demand).models, ::testing::ElementsAre("A100", "H100"));
}

TEST(HeadOfMix, IsTheShortestThatCovers) {
  const std::vector<PodClass> mix = {Pods(60, 1, 100), Pods(35, 1, 50), Pods(5, 1, 10),
                                     Pods(0, 1, 5)};
  EXPECT_EQ(HeadOfMix(mix, 60), 1u);
  EXPECT_EQ(HeadOfMix(mix, 95), 2u);
  EXPECT_EQ(HeadOfMix(mix, 96), 3u);
  EXPECT_EQ(HeadOfMix(mix, 100), 3u);
}

TEST(MixLearner, APodThatIsAskedForAgainCountsOnce) {
  MixLearner learner(WithoutAssumptions());
  for (int i = 0; i < 5; ++i) {
    learner.Learn("same", Pod({Share(20, 256)}));
  }
  learner.Learn("other", Pod({Whole(1)}));
  EXPECT_TRUE(learner.Knows("same"));
  EXPECT_FALSE(learner.Knows("never"));
  EXPECT_EQ(PercentOf(*learner.Publish({}), 1, 20), 50);
}

TEST(MixLearner, APodWithoutDemandTeachesNothing) {
  MixLearner learner(WithoutAssumptions());
  learner.Learn("plain", Pod({}));
  EXPECT_FALSE(learner.Knows("plain"));
  EXPECT_TRUE(learner.Publish({})->classes.front().weight == 0);
}

TEST(MixLearner, AnOldPodCountsHalfAfterTheHalfLife) {
  MixOptions options = WithoutAssumptions();
  options.half_life_pods = 1000;
  MixLearner learner(options);
  for (int i = 0; i < 1000; ++i) {
    learner.Learn("a" + std::to_string(i), Pod({Share(20, 256)}));
  }
  for (int i = 0; i < 1000; ++i) {
    learner.Learn("b" + std::to_string(i), Pod({Whole(1)}));
  }
  // 1/2 : 1.
  EXPECT_EQ(PercentOf(*learner.Publish({}), 1, 20), 33);
}

TEST(MixLearner, WeightsStayInBoundsForever) {
  MixOptions options = WithoutAssumptions();
  options.half_life_pods = 10;
  options.remembered_pods = 100;
  MixLearner learner(options);
  for (int i = 0; i < 20000; ++i) {
    learner.Learn("p" + std::to_string(i), Pod({Share(20, 256)}));
  }
  learner.Learn("last", Pod({Whole(1)}));
  const auto outlook = learner.Publish({});
  // Each adds 0.693 / 10 more than the one before it: the last is 1 - 1 / 1.0693 = 6.5 % of all.
  EXPECT_EQ(PercentOf(*outlook, 1, 100), 6);
  EXPECT_EQ(PercentOf(*outlook, 1, 20), 94);
}

TEST(MixLearner, OutlooksAreDueAtTheStartThenByDoublingThenByNumber) {
  MixLearner learner;
  ASSERT_TRUE(learner.Due());
  EXPECT_EQ(learner.Publish({})->epoch, 1u);
  std::vector<int> due_at;
  for (int i = 1; i <= 4096; ++i) {
    learner.Learn("p" + std::to_string(i), Pod({Whole(1)}));
    if (learner.Due()) {
      due_at.push_back(i);
      learner.Publish({});
    }
  }
  EXPECT_THAT(due_at, ::testing::ElementsAre(32, 64, 128, 256, 512, 1024, 2024, 3024, 4024));
  EXPECT_EQ(learner.Publish({})->epoch, 11u);
}

TEST(MixLearner, PodsWithoutGpuMakeNoOutlookDue) {
  MixLearner learner;
  learner.Publish({});
  for (int i = 0; i < 100; ++i) {
    learner.Learn(Pods(1, 0, 0, 4000));
  }
  EXPECT_FALSE(learner.Due());
  EXPECT_EQ(PercentOf(*learner.Publish({}), 0, 0), 93);  // 100 beside the 8 that are assumed
}

TEST(MixLearner, WhatIsAssumedFadesAsPodsAreSeen) {
  MixLearner learner;
  EXPECT_EQ(PercentOf(*learner.Publish({}), 1, 100), 60);
  for (int i = 0; i < 400; ++i) {
    learner.Learn("p" + std::to_string(i), Pod({Share(37, 256)}));
  }
  // 8 pods, halved twice, of which 60 % are whole cards: 1.2 of 402.
  EXPECT_EQ(PercentOf(*learner.Publish({}), 1, 100), 0);
  EXPECT_GT(PercentOf(*learner.Publish({}), 1, 37), 98);
}

TEST(MixLearner, KeepsTheMostFrequentClasses) {
  MixOptions options = WithoutAssumptions();
  options.max_classes = 10;
  MixLearner learner(options);
  for (int i = 0; i < 50; ++i) {
    learner.Learn("often" + std::to_string(i), Pod({Whole(1)}));
    model::PodDemand rare = Pod({Whole(1)});
    rare.host.cpu_milli = 1000 + i;
    learner.Learn("rare" + std::to_string(i), rare);
  }
  const auto outlook = learner.Publish({});
  EXPECT_LE(outlook->classes.size(), 10u + 5u);  // the assumed ones come with weight 0
  EXPECT_EQ(outlook->classes.front().host.cpu_milli, 0);
}

TEST(Outlook, AssumesSeventyPercentOfTheProcessorBesideACard) {
  ClusterFigures cluster;
  cluster.core = 800;          // 8 cards
  cluster.cpu_milli = 96'000;  // 12 cores a card
  const std::vector<PodClass> mix = DefaultMix(cluster, 100);
  EXPECT_EQ(mix[0].host.cpu_milli, 8400);
  EXPECT_EQ(mix[1].host.cpu_milli, 4200);      // half a card
  EXPECT_EQ(mix[4].host.cpu_milli, 8 * 8400);  // eight cards
  std::int64_t weight = 0;
  for (const PodClass& each : mix) {
    weight += each.weight;
  }
  EXPECT_EQ(weight, 100);
}

}  // namespace
}  // namespace aliquot::scoring
