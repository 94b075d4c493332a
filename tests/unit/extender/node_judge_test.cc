// SPDX-License-Identifier: Apache-2.0
#include "extender/node_judge.h"

#include <algorithm>
#include <map>
#include <random>

#include "tests/unit/extender/extender_fixture.h"

namespace aliquot::extender {
namespace {

using scoring::Refusal;
using Views = std::vector<std::string_view>;

class NodeJudgeTest : public ExtenderFixture {
 protected:
  NodeJudgeTest() : ExtenderFixture("binpack") {}

  NodeJudge::Outcome Judge(NodeJudge& judge, const model::Pod& pod, bool ranked = true) {
    const auto demand = *model::DemandOf(pod, names_);
    const Views names(node_names_.begin(), node_names_.end());
    auto outcome = judge.Judge(*ledger_.Read(),
                               {names, scoring::Ask(demand).OfPriority(pod.priority), ranked, {}});
    EXPECT_TRUE(outcome.ok());
    return *std::move(outcome);
  }
  // What a judge says that has kept nothing.
  NodeJudge::Outcome Afresh(const model::Pod& pod, bool ranked = true) {
    NodeJudge judge(placer_, clock_);
    return Judge(judge, pod, ranked);
  }
  static void ExpectSame(const NodeJudge::Outcome& a, const NodeJudge::Outcome& b) {
    EXPECT_EQ(a.cut_short, b.cut_short);
    ASSERT_EQ(a.judgements.size(), b.judgements.size());
    for (std::size_t i = 0; i < a.judgements.size(); ++i) {
      EXPECT_EQ(a.judgements[i].refusal, b.judgements[i].refusal) << i;
      EXPECT_EQ(a.judgements[i].rank, b.judgements[i].rank) << i;
    }
  }
  void AddNodes(int count, int cards) {
    for (int i = 0; i < count; ++i) {
      node_names_.push_back("n" + std::to_string(i));
      AddNode(node_names_.back(), cards);
    }
  }

  std::vector<std::string> node_names_;
};

TEST_F(NodeJudgeTest, OnlyNodesThatChangedAreJudgedAnew) {
  AddNodes(10, 2);
  EXPECT_TRUE(Judge(judge_, PodOf("a", 20, 4)).judgements[9].fits());
  EXPECT_EQ(judge_.judged(), 10);
  Judge(judge_, PodOf("b", 20, 4));  // another pod of the same shape
  EXPECT_EQ(judge_.judged(), 10);
  Occupy("n3", "other", 90, 4);
  Judge(judge_, PodOf("c", 20, 4));
  EXPECT_EQ(judge_.judged(), 11);
}

TEST_F(NodeJudgeTest, AnotherShapeOrTolerationIsJudgedForItself) {
  AddNodes(2, 1);
  Judge(judge_, PodOf("a", 20, 4));
  Judge(judge_, PodOf("a", 20, 5));
  EXPECT_EQ(judge_.judged(), 4);
  const auto demand = *model::DemandOf(PodOf("a", 20, 4), names_);
  const Views names(node_names_.begin(), node_names_.end());
  ASSERT_TRUE(judge_.Judge(*ledger_.Read(), {names, {demand, true}, true, {}}).ok());
  EXPECT_EQ(judge_.judged(), 6);
}

TEST_F(NodeJudgeTest, FilterLeavesTheRankToPrioritizeAndUsesItAfter) {
  AddNodes(4, 1);
  Occupy("n0", "other", 90, 4);
  const model::Pod pod = PodOf("a", 20, 4);
  Judge(judge_, pod, /*ranked=*/false);
  EXPECT_EQ(judge_.judged(), 4);
  ExpectSame(Judge(judge_, pod, /*ranked=*/true), Afresh(pod));
  EXPECT_EQ(judge_.judged(), 7);  // n0 is refused: it needs no rank
  Judge(judge_, pod, /*ranked=*/false);
  EXPECT_EQ(judge_.judged(), 7);
}

TEST_F(NodeJudgeTest, ANodeMadeAgainIsAnotherNode) {
  AddNodes(1, 1);
  EXPECT_TRUE(Judge(judge_, PodOf("a", 20, 4)).judgements[0].fits());
  ledger_.RemoveNode("n0");
  EXPECT_EQ(Judge(judge_, PodOf("a", 20, 4)).judgements[0].refusal, Refusal::kUnknownNode);
  AddNode("n0", 1, 512);  // too small now, and in the same place
  EXPECT_EQ(Judge(judge_, PodOf("a", 20, 4)).judgements[0].refusal, Refusal::kCardTooSmall);
}

TEST_F(NodeJudgeTest, TheLeastRecentlyUsedShapeIsForgottenFirst) {
  AddNodes(10, 1);
  NodeJudge judge(placer_, clock_, 2 * 10 * 32);  // room for two shapes
  Judge(judge, PodOf("a", 10, 4));
  Judge(judge, PodOf("b", 20, 4));
  Judge(judge, PodOf("a", 10, 4));
  EXPECT_EQ(judge.judged(), 20);
  Judge(judge, PodOf("c", 30, 4));  // drops b's
  Judge(judge, PodOf("a", 10, 4));
  EXPECT_EQ(judge.judged(), 30);
  Judge(judge, PodOf("b", 20, 4));
  EXPECT_EQ(judge.judged(), 40);
}

// Ranks by one outlook are worth nothing by another.
TEST_F(NodeJudgeTest, AnotherOutlookIsJudgedForItself) {
  const scoring::Placer placer(scoring::PlacerOptions(), *scoring::FindPolicy("composite"));
  NodeJudge judge(placer, clock_);
  AddNodes(10, 2);
  const auto demand = *model::DemandOf(PodOf("a", 20, 4), names_);
  const Views names(node_names_.begin(), node_names_.end());
  const auto halves = scoring::MakeOutlook(1, {{{}, 1, 50, {}, 1}}, {});
  const auto wholes = scoring::MakeOutlook(2, {{{}, 1, 100, {}, 1}}, {});
  const auto rank = [&](const scoring::Outlook& outlook) {
    return judge.Judge(*ledger_.Read(), {names, {demand, false, outlook}, true, {}})
        ->judgements[0]
        .rank;
  };
  const std::int64_t by_halves = rank(*halves);
  EXPECT_EQ(judge.judged(), 10);
  EXPECT_NE(rank(*wholes), by_halves);
  EXPECT_EQ(judge.judged(), 20);
  EXPECT_EQ(rank(*halves), by_halves);  // still kept
  EXPECT_EQ(judge.judged(), 20);
}

// A new outlook makes no request wait for thousands of ranks: they are there before it is used, and
// a pod costs the nodes that changed since.
TEST_F(NodeJudgeTest, APreparedOutlookCostsARequestTheNodesThatChanged) {
  const scoring::Placer placer(scoring::PlacerOptions(), *scoring::FindPolicy("composite"));
  NodeJudge judge(placer, clock_);
  AddNodes(100, 2);
  const auto demand = *model::DemandOf(PodOf("a", 20, 4), names_);
  const Views names(node_names_.begin(), node_names_.end());
  const auto ask = [&](const scoring::Outlook& outlook, bool ranked) {
    ASSERT_TRUE(judge.Judge(*ledger_.Read(), {names, {demand, false, outlook}, ranked, {}}).ok());
  };
  ask(scoring::Outlook::Unknown(), true);
  ASSERT_EQ(judge.judged(), 100);
  const auto outlook = scoring::MakeOutlook(1, {{{}, 1, 50, {}, 1}}, {});
  judge.Prepare(*ledger_.Read(), *outlook);
  EXPECT_EQ(judge.judged(), 200);
  ask(scoring::Outlook::Unknown(), true);  // requests on their way still use the one before
  EXPECT_EQ(judge.judged(), 200);
  judge.KeepOnly(*outlook);
  ask(*outlook, false);
  ask(*outlook, true);
  EXPECT_EQ(judge.judged(), 200);
  Occupy("n3", "other", 90, 4);
  Occupy("n50", "another", 90, 4);
  ask(*outlook, false);
  EXPECT_EQ(judge.judged(), 202);
  ask(*outlook, true);
  EXPECT_LE(judge.judged(), 204);
  ask(scoring::Outlook::Unknown(), true);  // forgotten
  EXPECT_GE(judge.judged(), 302);
}

// Whatever happened before, a judge that remembers says what one says that does not.
TEST_F(NodeJudgeTest, RememberingNeverChangesTheAnswer) {
  AddNodes(30, 4);
  std::mt19937 random(20251129);
  std::vector<std::string> held;
  for (int round = 0; round < 300; ++round) {
    const int core = 10 + static_cast<int>(random() % 6) * 10;
    model::Pod pod = PodOf("p" + std::to_string(round), core, 4);
    if (round % 3 == 0) {
      AddContainer(pod, "second", model::ContainerKind::kApp, 1, 35, 8);
    }
    const bool ranked = random() % 2 == 0;
    const auto kept = Judge(judge_, pod, ranked);
    const auto afresh = Afresh(pod, ranked);
    for (std::size_t i = 0; i < kept.judgements.size(); ++i) {
      ASSERT_EQ(kept.judgements[i].refusal, afresh.judgements[i].refusal) << round << " " << i;
      if (ranked) {
        ASSERT_EQ(kept.judgements[i].rank, afresh.judgements[i].rank) << round << " " << i;
      }
    }
    const std::string node = node_names_[random() % node_names_.size()];
    if (ledger_.Commit(RequestFor(pod, node)).outcome == ledger::CommitOutcome::kReserved) {
      held.push_back(pod.uid);
    }
    if (held.size() > 60) {
      ledger_.Release(held[random() % held.size()]);
    }
  }
  EXPECT_LT(judge_.judged(), 300 * 30 / 2);  // and it did remember
}

// A pod that fits only by exact search, on more nodes than the request has steps for: the first by
// name get the steps, whatever the order asked and whatever is remembered.
TEST_F(NodeJudgeTest, AnExhaustedBudgetFallsOnTheSameNodesWithAndWithoutMemory) {
  scoring::PlacerOptions options;
  options.steps_per_node = kTightStepsPerNode;
  options.steps_per_request = kTightStepsPerRequest;
  const scoring::Placer placer(options, *scoring::FindPolicy("binpack"));
  AddNodes(10, 2);
  const model::Pod pod = ExactFitPod("p");
  NodeJudge judge(placer, clock_);
  std::mt19937 random(20251129);
  for (int round = 0; round < 10; ++round) {
    std::shuffle(node_names_.begin(), node_names_.end(), random);
    const auto outcome = Judge(judge, pod);
    EXPECT_TRUE(outcome.cut_short);
    std::string first_refused = "~";
    std::string last_fitting;
    for (std::size_t i = 0; i < node_names_.size(); ++i) {
      if (outcome.judgements[i].fits()) {
        last_fitting = std::max(last_fitting, node_names_[i]);
      } else {
        first_refused = std::min(first_refused, node_names_[i]);
      }
    }
    EXPECT_FALSE(last_fitting.empty());
    EXPECT_NE(first_refused, "~");
    EXPECT_LT(last_fitting, first_refused);
    ExpectSame(outcome, Judge(judge, pod));
    NodeJudge afresh(placer, clock_);
    ExpectSame(outcome, Judge(afresh, pod));
  }
}

TEST_F(NodeJudgeTest, WithAClaimNoVerdictOfAnotherPriorityIsServed) {
  AddNodes(2, 1);
  model::Pod low = PodOf("low", 50, 4);
  model::Pod equal = PodOf("equal", 50, 4);
  equal.priority = 5;
  EXPECT_TRUE(Judge(judge_, low).judgements[0].fits());
  ledger::ClaimRequest claim;
  claim.uid = "uid-high";
  claim.priority = 5;
  claim.rooms = {{"n0", {{0, model::CardUse{60, 1, 1024}}}, {}}};
  ledger_.ClaimRoom(claim);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Judge(judge_, low).judgements[0].refusal, Refusal::kClaimed);
    EXPECT_TRUE(Judge(judge_, low).judgements[1].fits()) << "only its own node is claimed";
    EXPECT_TRUE(Judge(judge_, equal).judgements[0].fits());
    ExpectSame(Judge(judge_, low), Afresh(low));
    ExpectSame(Judge(judge_, equal), Afresh(equal));
  }
  ledger_.RemovePod("uid-high");
  EXPECT_TRUE(Judge(judge_, low).judgements[0].fits());
}

TEST_F(NodeJudgeTest, WithoutClaimsPrioritiesShareTheirVerdicts) {
  AddNodes(10, 1);
  model::Pod pod = PodOf("a", 20, 4);
  Judge(judge_, pod);
  pod.priority = 7;
  Judge(judge_, pod);
  EXPECT_EQ(judge_.judged(), 10);
}

}  // namespace
}  // namespace aliquot::extender
