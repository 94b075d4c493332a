// SPDX-License-Identifier: Apache-2.0
#include "scoring/fragmentation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scoring/composite.h"
#include "tests/unit/scoring/outlooks.h"
#include "tests/unit/scoring/test_nodes.h"

namespace aliquot::scoring {
namespace {

TEST(Fragmentation, TakesTheCardOnWhichTheMixLosesLeast) {
  // Thirds come: 90 left hold two and lose one of them to a share of 30; 40 left hold one and lose
  // it; 32 left hold none.
  const auto outlook = Expecting({Pods(1, 1, 33)});
  const TestNode node({Card(16384, 60, 256), Card(16384, 68, 256), Card(16384, 10, 256)});
  const model::PodDemand demand = Pod({Share(30, 256)});
  const Ask ask(demand, false, *outlook);
  EXPECT_EQ(Fragmentation().ChooseCard(node.state(), ask, demand.containers[0], 0b111), 1);
}

TEST(Fragmentation, ExplainsANodeByWhatIsLost) {
  // Four idle cards less two: two cards of volume. Pods of two cards are half of the mix and worth
  // 2 * 10,000 * 10 % * 1/2 = 1,000 each; two fit before, one after.
  const auto outlook = Expecting({Pods(1, 1, 100), Pods(1, 2, 100)});
  const TestNode node(std::vector<CardState>(4, Card(16384)));
  const model::PodDemand demand = Pod({Whole(2)});
  const Score score =
      Fragmentation().ExplainNode(node.state(), Ask(demand, false, *outlook), {{0, 1}});
  ASSERT_EQ(score.terms().size(), 4u);
  EXPECT_EQ(score.terms()[0].name, "usable_volume");
  EXPECT_EQ(score.terms()[0].value, -20'000);
  EXPECT_EQ(score.terms()[1].name, "room_for_several_cards");
  EXPECT_EQ(score.terms()[1].value, -1'000);
  EXPECT_EQ(score.terms()[2].name, "scarce_model");
  EXPECT_EQ(score.terms()[2].value, 0);
  EXPECT_EQ(score.total(), -21'000);
}

TEST(Fragmentation, ANodeKeepsThePodsForWhichItHasProcessor) {
  // 4 cores a card. A node with 4 left can serve one card more, whatever idle cards it has, so a
  // share without processor costs it nothing while another card is idle.
  const auto outlook = Expecting({Pods(1, 1, 100, 4000)});
  TestNode node(std::vector<CardState>(4, Card(16384)));
  model::PodDemand demand = Pod({Share(10, 256)});
  const Ask ask(demand, false, *outlook);
  EXPECT_EQ(Fragmentation().RankNode(node.state(), ask, {{0}}), -100 * 100);
  NodeState short_of_cpu = node.state();
  short_of_cpu.host_known = true;
  short_of_cpu.host_free = {4000, 0};
  EXPECT_EQ(Fragmentation().RankNode(short_of_cpu, ask, {{0}}), 0);
  // One that takes the last cores costs the card that they were for.
  demand.host.cpu_milli = 4000;
  EXPECT_EQ(Fragmentation().RankNode(short_of_cpu, ask, {{0}}), -100 * 100);
}

TEST(Composite, ExplainsANodeByFastLinksThenLossThenRingThenSharing) {
  const auto outlook = Expecting({Pods(1, 1, 100)});
  const TestNode node(std::vector<CardState>(2, Card(16384)), "NV4");
  const model::PodDemand demand = Pod({Whole(2)});
  const Score score = Composite().ExplainNode(node.state(), Ask(demand, false, *outlook), {{0, 1}});
  // Fast links are 10^14; two cards are 200 percents, each 10^9; the pair has 100 GB/s, each 1,000.
  EXPECT_EQ(score.total(), 100'000'000'000'000 - 200 * std::int64_t{1'000'000'000} + 100 * 1'000);
}

// The room for a pod of four cards is worth 4 * 10,000 * 10 % * 1/10 = 400, which is 4 percents.
TEST(Composite, OfFastNodesALossOfAFewPercentOutweighsTheFasterRing) {
  const auto outlook = Expecting({Pods(9, 1, 100), Pods(1, 4, 100)});
  const TestNode linked(std::vector<CardState>(4, Card(16384)), "NV18,NV18,NV18,NV18,NV18,NV18");
  const TestNode apart({Card(16384), Card(16384), Card(16384, 100, 0), Card(16384, 100, 0)},
                       "NV1,NV1,NV1,NV1,NV1,NV1");
  const model::PodDemand demand = Pod({Whole(2)});
  const Ask ask(demand, false, *outlook);
  EXPECT_LT(Composite().RankNode(linked.state(), ask, {{0, 1}}),
            Composite().RankNode(apart.state(), ask, {{0, 1}}));
}

// The same room is lost, but two cards 16 GB/s apart are no company for a pod that needs bandwidth.
TEST(Composite, APodThatNeedsBandwidthGoesToFastLinksWhateverThatLoses) {
  const auto outlook = Expecting({Pods(9, 1, 100), Pods(1, 4, 100)});
  const TestNode linked(std::vector<CardState>(4, Card(16384)), "NV1,NV1,NV1,NV1,NV1,NV1");
  const TestNode apart({Card(16384), Card(16384), Card(16384, 100, 0), Card(16384, 100, 0)},
                       "SYS,SYS,SYS,SYS,SYS,SYS");
  model::PodDemand demand = Pod({Whole(2)});
  EXPECT_GT(Composite().RankNode(linked.state(), Ask(demand, false, *outlook), {{0, 1}}),
            Composite().RankNode(apart.state(), Ask(demand, false, *outlook), {{0, 1}}));
  demand.wishes.placement = model::Placement::kBinpack;
  EXPECT_LT(Composite().RankNode(linked.state(), Ask(demand, false, *outlook), {{0, 1}}),
            Composite().RankNode(apart.state(), Ask(demand, false, *outlook), {{0, 1}}));
}

}  // namespace
}  // namespace aliquot::scoring
