// SPDX-License-Identifier: Apache-2.0
#include "scoring/exact_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scoring/first_fit.h"
#include "tests/unit/scoring/test_nodes.h"

namespace aliquot::scoring {
namespace {

using ::testing::ElementsAre;

TEST(OrderOf, SidecarsThenWholeCardsThenTheLargerShare) {
  const PlacementOrder order =
      OrderOf(Pod({Share(10, 1, kInit), Share(20, 1, kSidecar), Share(30, 1), Whole(1),
                   Share(30, 2), Share(40, 1, kSidecar)}));
  EXPECT_THAT(order.containers, ElementsAre(5, 1, 3, 4, 2, 0));
  EXPECT_EQ(order.sidecars, 2u);
}

TEST(SearchExact, CountsEveryCardTried) {
  // 60 tries card 0 (fits), 50 then card 1 (fits): two steps.
  const FirstFit policy;
  const TestNode node({Card(16384), Card(16384, 50, 0)});
  const NodeState state = node.state();
  const model::PodDemand demand = Pod({Share(60, 256), Share(50, 256)});
  PodLayout layout(state, demand, 16);
  const SearchResult result = SearchExact(layout, demand, OrderOf(demand), policy, 100);
  EXPECT_EQ(result.end, SearchEnd::kFound);
  EXPECT_EQ(result.steps, 2);
}

TEST(SearchExact, StopsAtItsLastStep) {
  const FirstFit policy;
  const TestNode node({Card(16384), Card(16384, 50, 0)});
  const NodeState state = node.state();
  const model::PodDemand demand = Pod({Share(60, 256), Share(50, 256)});
  PodLayout layout(state, demand, 16);
  const SearchResult result = SearchExact(layout, demand, OrderOf(demand), policy, 1);
  EXPECT_EQ(result.end, SearchEnd::kOutOfSteps);
  EXPECT_EQ(result.steps, 1);
}

TEST(SearchExact, AnInitContainerIsNotTriedOnOtherCardsWhenTheRestFails) {
  // The init container, the largest, takes card 0 (1 step). Three apps of 60 % on two cards: the
  // first on 0 or 1, the second on the other, the third on none (4 steps). Nothing of that depends
  // on the init container's card, so card 1 is not tried for it.
  const FirstFit policy;
  const TestNode node({Card(16384, 1, 0), Card(16640, 1, 0)});
  const NodeState state = node.state();
  const model::PodDemand demand =
      Pod({Share(90, 256, kInit), Share(60, 256), Share(60, 256), Share(60, 256)});
  PodLayout layout(state, demand, 16);
  const SearchResult result = SearchExact(layout, demand, OrderOf(demand), policy, 100);
  EXPECT_EQ(result.end, SearchEnd::kNone);
  EXPECT_EQ(result.steps, 5);
}

TEST(SearchExact, AnInitContainerWithoutACardEndsABranchBeforeTheAppsAreTried) {
  // Each sidecar needs a card of its own (60 %), in two orders: 4 steps. Beside either, 8192 MiB
  // each, the init container's 12288 MiB fit nowhere; the apps, tried before it, would fit.
  const FirstFit policy;
  const TestNode node({Card(16384), Card(16640)});
  const NodeState state = node.state();
  const model::PodDemand demand = Pod({Share(60, 8192, kSidecar), Share(60, 8192, kSidecar),
                                       Share(5, 12288, kInit), Share(30, 256), Share(30, 256)});
  PodLayout layout(state, demand, 16);
  const SearchResult result = SearchExact(layout, demand, OrderOf(demand), policy, 100);
  EXPECT_EQ(result.end, SearchEnd::kNone);
  EXPECT_EQ(result.steps, 4);
}

TEST(PodLayout, TheViewHasThePeakOfThePodOnTopOfTheNode) {
  const TestNode node({Card(16384, 10, 1024)});
  const NodeState state = node.state();
  const model::PodDemand demand = Pod({Share(50, 2048, kInit), Share(20, 4096), Share(10, 1024)});
  PodLayout layout(state, demand, 16);
  layout.Put(1, topology::CardBit(0));
  EXPECT_EQ(layout.view().cards[0].core_used, 30);
  layout.Put(0, topology::CardBit(0));
  layout.Put(2, topology::CardBit(0));
  // Peak of the pod: max(50, 20 + 10) % and max(2048, 4096 + 1024) MiB; one more pod.
  EXPECT_EQ(layout.view().cards[0].core_used, 60);
  EXPECT_EQ(layout.view().cards[0].mib_used, 6144);
  EXPECT_EQ(layout.view().cards[0].pods, 2);
  layout.Remove(0);
  layout.Remove(1);
  layout.Remove(2);
  EXPECT_EQ(layout.view().cards[0].core_used, 10);
  EXPECT_EQ(layout.view().cards[0].mib_used, 1024);
  EXPECT_EQ(layout.view().cards[0].pods, 1);
}

TEST(PodLayout, GrowthIsWhatAContainerAddsToThePeak) {
  const TestNode node({Card(16384), Card(16384)});
  const NodeState state = node.state();
  const model::PodDemand demand = Pod({Share(50, 2048, kInit), Share(20, 4096)});
  PodLayout layout(state, demand, 16);
  layout.Put(0, topology::CardBit(0));
  EXPECT_EQ(layout.GrowthOn(1, 0).core, 0);
  EXPECT_EQ(layout.GrowthOn(1, 0).mib, 2048);
  EXPECT_EQ(layout.GrowthOn(1, 1).core, 20);
  EXPECT_EQ(layout.GrowthOn(1, 1).mib, 4096);
}

TEST(PodLayout, SidecarsOfEqualSizeKeepTheirCardsApartForAnInitContainerBetweenThem) {
  const TestNode node({Card(16384), Card(16384)});
  const NodeState state = node.state();
  const model::PodDemand demand =
      Pod({Share(20, 256, kSidecar), Share(60, 256, kInit), Share(20, 256, kSidecar),
           Share(30, 256, kSidecar), Share(5, 256)});
  PodLayout layout(state, demand, 16);
  EXPECT_TRUE(layout.SameClass(3, 0, 1));
  layout.Put(0, topology::CardBit(0));
  layout.Put(2, topology::CardBit(1));
  EXPECT_FALSE(layout.SameClass(3, 0, 1));
  // An app container comes after all of them and sees the sums only.
  EXPECT_TRUE(layout.SameClass(4, 0, 1));
}

}  // namespace
}  // namespace aliquot::scoring
