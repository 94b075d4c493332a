// SPDX-License-Identifier: Apache-2.0
#include "explain/explain.h"
#include "ledger/snapshot_board.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scoring/composite.h"
#include "tests/unit/scoring/test_nodes.h"

namespace aliquot::explain {
namespace {

using scoring::Card;
using scoring::Pod;
using scoring::Refusal;
using scoring::Share;
using scoring::TestNode;
using scoring::UnusableCard;
using scoring::Whole;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TestNode Named(const char* name, std::vector<scoring::CardState> cards) {
  TestNode node(std::move(cards));
  node.facts().name = name;
  return node;
}

class Explain : public ::testing::Test {
 protected:
  Report Of(const model::PodDemand& demand, const std::vector<TestNode>& nodes) {
    std::vector<scoring::NodeState> states;
    for (const TestNode& node : nodes) {
      states.push_back(node.state());
    }
    return ExplainPod({demand}, states, scoring::Placer(options_, policy_));
  }

  scoring::PlacerOptions options_;
  const scoring::Composite policy_;
};

TEST_F(Explain, TheSummaryCountsReasonsTheMostFrequentFirst) {
  // c and a: core on one card, memory on the other; b is cordoned.
  TestNode cordoned = Named("b", {Card(16384)});
  cordoned.facts().cordoned = true;
  const Report report = Of(Pod({Share(20, 3840)}),
                           {Named("c", {Card(16384, 90, 0), Card(16384, 10, 15360)}), cordoned,
                            Named("a", {Card(16384, 90, 0), Card(16384, 10, 15360)})});
  EXPECT_EQ(report.summary,
            "0/3 nodes fit: 2 the pod fits in sum, not on one card, 1 the node "
            "is cordoned");
  EXPECT_EQ(report.best(), nullptr);
  EXPECT_EQ(report.nodes[0].name, "a");
  EXPECT_EQ(report.nodes[1].name, "b");
  EXPECT_EQ(report.nodes[2].name, "c");
}

TEST_F(Explain, TheSummaryNamesTheBestNode) {
  // On b the share finds a card in use with room; on a it would open an idle one.
  const Report report =
      Of(Pod({Share(20, 256)}), {Named("a", {Card(16384)}), Named("b", {Card(16384, 10, 0)})});
  EXPECT_EQ(report.summary, "2/2 nodes fit, the best is b");
  ASSERT_NE(report.best(), nullptr);
  EXPECT_EQ(report.best()->name, "b");
  EXPECT_GT(report.nodes[0].score.total(), report.nodes[1].score.total());
}

TEST_F(Explain, EachNodeSaysWhichWishStoodInTheWay) {
  model::PodDemand demand = Pod({Whole(2)});
  demand.wishes.all_nvlink = true;
  demand.wishes.models = {"A100"};
  // Published links are none: NODE within a NUMA node, which is no NVLink.
  TestNode unlinked = Named("a", {Card(16384), Card(16384)});
  unlinked.set_models({"NVIDIA A100", "NVIDIA A100"});
  TestNode other = Named("b", {Card(16384), Card(16384)});
  other.set_models({"Tesla T4", "Tesla T4"});
  const Report report = Of(demand, {unlinked, other});
  ASSERT_EQ(report.nodes.size(), 2u);
  EXPECT_EQ(report.nodes[0].verdict.refusal, Refusal::kNotNvlinked);
  EXPECT_EQ(report.nodes[1].verdict.refusal, Refusal::kNoSuchModel);
  EXPECT_EQ(
      report.summary,
      "0/2 nodes fit: 1 no usable GPU of the node matches the pod's gpu-model, 1 the node has "
      "too few GPUs that are all linked by NVLink");
}

TEST_F(Explain, ThePolicyIsTheOneThatThePodAsksFor) {
  model::PodDemand demand = Pod({Share(20, 256)});
  demand.wishes.placement = model::Placement::kSpread;
  const Report report =
      Of(demand, {Named("a", {Card(16384, 50, 0)}), Named("b", {Card(16384, 10, 0)})});
  EXPECT_EQ(report.policy, "spread");
  EXPECT_EQ(report.best()->name, "b");
}

TEST_F(Explain, AnEmptyClusterIsSaid) {
  EXPECT_EQ(Of(Pod({Share(20, 256)}), {}).summary, "0/0 nodes fit: no node is known");
}

TEST_F(Explain, FiguresCountUsableCardsOnly) {
  // Usable: 60 % and 4096 MiB free, 10 % and 16384 MiB free, idle 100 % and 8192 MiB. The broken
  // card's 24576 MiB count nowhere; the over-booked one has nothing left, not less.
  const Report report =
      Of(Pod({Share(20, 256)}), {Named("a", {Card(16384, 40, 12288), Card(16384, 90, 0), Card(8192),
                                             UnusableCard(24576), Card(4096, 150, 4096)})});
  const NodeFigures& figures = report.nodes[0].figures;
  EXPECT_EQ(figures.cards, 5);
  EXPECT_EQ(figures.usable_cards, 4);
  EXPECT_EQ(figures.idle_cards, 1);
  EXPECT_EQ(figures.largest_core_free, 100);
  EXPECT_EQ(figures.largest_mib_free, 16384);
}

TEST_F(Explain, ChosenCardsAreNamedAsUsersSeeThem) {
  model::PodDemand demand = Pod({Share(20, 256), Whole(1)});
  demand.containers[0].name = "notebook";
  demand.containers[1].name = "trainer";
  const Report report = Of(demand, {Named("a", {Card(16384), Card(16384, 10, 0)})});
  ASSERT_EQ(report.fitting, 1u);
  const std::vector<ChosenContainer>& containers = report.nodes[0].containers;
  ASSERT_EQ(containers.size(), 2u);
  EXPECT_EQ(containers[0].name, "notebook");
  EXPECT_EQ(containers[0].cards[0].minor, 1);
  EXPECT_EQ(containers[0].cards[0].uuid, "GPU-1");
  EXPECT_FALSE(containers[0].cards[0].score.terms().empty());
  EXPECT_EQ(containers[1].name, "trainer");
  EXPECT_EQ(containers[1].cards[0].minor, 0);
  EXPECT_TRUE(containers[1].cards[0].score.terms().empty());
}

TEST_F(Explain, ARefusedNodeHasNoCardsAndNoScore) {
  const Report report = Of(Pod({Whole(2)}), {Named("a", {Card(16384)})});
  EXPECT_EQ(report.nodes[0].verdict.refusal, Refusal::kTooFewCards);
  EXPECT_THAT(report.nodes[0].containers, IsEmpty());
  EXPECT_THAT(report.nodes[0].score.terms(), IsEmpty());
}

TEST_F(Explain, AnUnreadableInventorySaysWhatIsWrong) {
  TestNode node = Named("a", {Card(16384)});
  node.set_inventory_problem("v is 9, not a known version");
  const Report report = Of(Pod({Share(20, 256)}), {node});
  EXPECT_EQ(report.nodes[0].verdict.refusal, Refusal::kBadInventory);
  EXPECT_EQ(report.nodes[0].inventory_problem, "v is 9, not a known version");
  EXPECT_EQ(report.nodes[0].figures.cards, 0);
}

TEST_F(Explain, ASearchCutShortIsCountedAndSaid) {
  options_.steps_per_node = 0;
  const Report report =
      Of(Pod({Share(50, 256), Share(60, 256)}),
         {Named("a", {Card(16384), Card(16384)}), Named("b", {Card(16384, 10, 0), Card(16384)})});
  EXPECT_EQ(report.cut_short, 2u);
  EXPECT_THAT(report.summary, ::testing::EndsWith("; the search was cut short on 2"));
}

TEST_F(Explain, NodesShareTheStepsInTheOrderOfTheirNames) {
  // Each search takes two steps. With three for the request, node b has one and is cut short.
  options_.steps_per_request = 3;
  const Report report =
      Of(Pod({Share(50, 256), Share(60, 256)}),
         {Named("b", {Card(16384), Card(16384)}), Named("a", {Card(16384), Card(16384)})});
  ASSERT_EQ(report.nodes.size(), 2u);
  for (const NodeReport& node : report.nodes) {
    EXPECT_EQ(node.verdict.cut_short, node.name == "b") << node.name;
  }
}

TEST_F(Explain, ASnapshotGivesAllItsNodes) {
  const TestNode first = Named("a", {Card(16384)});
  const TestNode second = Named("b", {Card(16384, 100, 0), Card(16384, 90, 0)});
  ledger::SnapshotBoard board;
  for (const TestNode* node : {&first, &second}) {
    const scoring::NodeState state = node->state();
    board.Publish(board.TakePlace(state.facts->name),
                  std::make_shared<scoring::NodeFacts>(*state.facts),
                  std::vector<scoring::CardState>(state.cards, state.cards + state.card_count),
                  state.host_free, false);
  }
  const std::shared_ptr<const ledger::Snapshot> snapshot = board.Read();
  const Report report =
      ExplainPod({Pod({Share(20, 256)})}, *snapshot, scoring::Placer(options_, policy_));
  EXPECT_EQ(report.summary, "1/2 nodes fit, the best is a: 1 not enough free GPU core or memory");
}

}  // namespace
}  // namespace aliquot::explain
