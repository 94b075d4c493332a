// SPDX-License-Identifier: Apache-2.0
#include "reconcile/observer.h"

#include "tests/unit/reconcile/reconcile_fixture.h"

namespace aliquot::reconcile {
namespace {

using std::chrono::seconds;

class ObserverTest : public ReconcileFixture {
 protected:
  bool Knows(const std::string& node) const {
    scoring::NodeState state;
    return ledger_.Read()->Find(node, &state);
  }
  double Problems(const std::string& kind) {
    return extender::MetricValue(metrics_,
                                 "aliquot_allocator_record_problems_total{kind=\"" + kind + "\"}");
  }
};

TEST_F(ObserverTest, IsReadyOnlyWhenBothListsAreComplete) {
  EXPECT_FALSE(sync_.ready());
  observer_.PodsListed({});
  EXPECT_FALSE(sync_.ready());
  observer_.NodesListed({});
  EXPECT_TRUE(sync_.ready());
}

TEST_F(ObserverTest, ANodeMissingFromAFullListIsGone) {
  observer_.NodeSeen(NodeOf("n1", 1));
  observer_.NodeSeen(NodeOf("n2", 1));
  observer_.NodesListed({"n2"});
  EXPECT_FALSE(Knows("n1"));
  EXPECT_TRUE(Knows("n2"));
  observer_.NodeGone("n2");
  EXPECT_FALSE(Knows("n2"));
}

TEST_F(ObserverTest, AnUnboundPodIsPendingUntilItIsBound) {
  AddNode("n1", 1);
  model::Pod pod = PodOf("p", 20, 15);
  AddAndShow(pod);
  const auto known = pending_.FindUid(pod.uid);
  ASSERT_NE(known, nullptr);
  EXPECT_TRUE(known->watched);
  cluster_.AddPod(BoundByUs(pod, "n1", 20, 3840));
  Show(pod.key);
  EXPECT_EQ(pending_.FindUid(pod.uid), nullptr);
  EXPECT_TRUE(IsBound(pod));
  EXPECT_EQ(cluster_.reads() + cluster_.patches(), 0);
}

TEST_F(ObserverTest, OurOwnBindIsConfirmedByTheWatch) {
  AddNode("n1", 1);
  const model::Pod pod = PodOf("p", 20, 15);
  AddAndShow(pod);
  cluster_.HoldBinds(true);
  cluster_.NextBinds({extender::BindFate::kLoseAnswer});
  auto bind = BindLater(pod, "n1");
  ASSERT_TRUE(extender::Eventually([&] { return cluster_.binds() == 1; }));
  cluster_.HoldBinds(false);
  ASSERT_TRUE(extender::Eventually([&] { return !cluster_.Find(pod.key)->node_name.empty(); }));
  Show(pod.key);
  EXPECT_EQ(bind.get(), "");
  EXPECT_TRUE(IsBound(pod));
}

TEST_F(ObserverTest, PodsThatAskForCardsAreToldOfBoundOrNotUntilTheyFinish) {
  observer_.NodeSeen(NodeOf("n1", 1));
  std::vector<std::string> told;
  intake_.OnSeen([&told](const model::Pod& pod) { told.push_back(pod.key.name); });
  observer_.PodSeen(PodOf("pending", 20, 4));
  model::Pod bound = BoundByUs(PodOf("bound", 20, 4), "n1", 20, 1024);
  observer_.PodSeen(bound);
  bound.phase = model::PodPhase::kSucceeded;
  observer_.PodSeen(bound);
  EXPECT_EQ(told, (std::vector<std::string>{"pending", "bound"}));
}

TEST_F(ObserverTest, WhatOtherPodsRequestIsCountedOnTheirNode) {
  model::Node node = NodeOf("n1", 1);
  node.allocatable = model::HostAmount{8000, 1024};
  observer_.NodeSeen(node);
  observer_.OtherRequestsListed({{"n1", {3000, 24}}});
  const auto snapshot = ledger_.Read();
  scoring::NodeState state;
  ASSERT_TRUE(snapshot->Find("n1", &state));
  EXPECT_EQ(state.host_free, (model::HostAmount{5000, 1000}));
}

TEST_F(ObserverTest, AFinishedPodFreesItsCards) {
  AddNode("n1", 1);
  const model::Pod pod = BoundByUs(PodOf("p", 60, 15), "n1", 60, 3840);
  AddAndShow(pod);
  EXPECT_EQ(CardAt("n1", 0).core_used, 60);
  cluster_.Change(pod.key, [](model::Pod& p) { p.deleting = true; });
  Show(pod.key);
  EXPECT_EQ(CardAt("n1", 0).core_used, 60);  // never at deletionTimestamp
  cluster_.Change(pod.key, [](model::Pod& p) { p.phase = model::PodPhase::kSucceeded; });
  Show(pod.key);
  EXPECT_TRUE(CardAt("n1", 0).idle());
}

TEST_F(ObserverTest, ADeletedPodFreesAtOnceAndIsLookedForOnceMore) {
  AddNode("n1", 1);
  model::Pod pod = BoundByUs(PodOf("p", 60, 15), "n1", 60, 3840);
  AddAndShow(pod);
  cluster_.DeletePod(pod.key);
  pod.deleting = true;
  observer_.PodGone(pod);
  EXPECT_TRUE(CardAt("n1", 0).idle());  // the pods woken by the deletion must find the room
  EXPECT_EQ(WorkAfter(seconds(1)), 1);
  EXPECT_EQ(cluster_.reads(), 1);
  EXPECT_FALSE(Holds(pod));
}

TEST_F(ObserverTest, AFinishedPodThatIsDeletedNeedsNoRead) {
  AddNode("n1", 1);
  model::Pod pod = BoundByUs(PodOf("p", 60, 15), "n1", 60, 3840);
  pod.phase = model::PodPhase::kFailed;
  observer_.PodGone(pod);
  EXPECT_EQ(WorkAfter(seconds(10)), 0);
  EXPECT_EQ(cluster_.reads(), 0);
}

TEST_F(ObserverTest, APodThatLostItsLabelKeepsItsCardsAndGetsItBack) {
  AddNode("n1", 1);
  model::Pod pod = BoundByUs(PodOf("p", 60, 15), "n1", 60, 3840);
  pod.phase = model::PodPhase::kRunning;
  AddAndShow(pod);
  cluster_.Change(pod.key, [](model::Pod& p) { p.has_gpu_label = false; });
  observer_.PodGone(pod);
  EXPECT_EQ(CardAt("n1", 0).core_used, 60);
  EXPECT_EQ(Work(), 1);
  EXPECT_TRUE(cluster_.Find(pod.key)->has_gpu_label);
  EXPECT_EQ(CardAt("n1", 0).core_used, 60);
}

TEST_F(ObserverTest, APodThatLostItsLabelWhileBeingDeletedIsCountedAgain) {
  AddNode("n1", 1);
  model::Pod pod = BoundByUs(PodOf("p", 60, 15), "n1", 60, 3840);
  pod.phase = model::PodPhase::kRunning;
  pod.deleting = true;
  AddAndShow(pod);
  cluster_.Change(pod.key, [](model::Pod& p) { p.has_gpu_label = false; });
  observer_.PodGone(pod);
  WorkAfter(seconds(1));
  EXPECT_EQ(CardAt("n1", 0).core_used, 60);
  EXPECT_TRUE(cluster_.Find(pod.key)->has_gpu_label);
}

TEST_F(ObserverTest, WhetherAPodIsGoneIsAskedUntilThereIsAnAnswer) {
  AddNode("n1", 1);
  const model::Pod pod = BoundByUs(PodOf("p", 60, 15), "n1", 60, 3840);
  AddAndShow(pod);
  cluster_.DeletePod(pod.key);
  cluster_.SetReadable(false);
  observer_.PodGone(pod);
  Work();
  WorkAfter(seconds(1));
  EXPECT_EQ(CardAt("n1", 0).core_used, 60);  // never free on a guess
  cluster_.SetReadable(true);
  WorkAfter(seconds(2));
  EXPECT_TRUE(CardAt("n1", 0).idle());
}

TEST_F(ObserverTest, APodMadeAgainUnderTheNameFreesTheFirst) {
  AddNode("n1", 1);
  const model::Pod pod = BoundByUs(PodOf("p", 60, 15), "n1", 60, 3840);
  AddAndShow(pod);
  model::Pod again = PodOf("p", 60, 15);
  again.uid = "uid-p-2";
  cluster_.AddPod(again);
  observer_.PodGone(pod);
  observer_.PodSeen(again);
  Work();
  EXPECT_FALSE(Holds(pod));
  EXPECT_NE(pending_.FindUid("uid-p-2"), nullptr);
  EXPECT_EQ(cluster_.patches(), 0);
}

TEST_F(ObserverTest, AReadThatTheWatchOvertookIsDropped) {
  AddNode("n1", 1);
  model::Pod pod = BoundByUs(PodOf("p", 60, 15), "n1", 60, 3840);
  AddAndShow(pod);
  observer_.PodGone(pod);
  // The pod comes back into the watch's selection, then ends, before the read is made.
  Show(pod.key);
  cluster_.Change(pod.key, [](model::Pod& p) { p.phase = model::PodPhase::kSucceeded; });
  Show(pod.key);
  Work();
  EXPECT_EQ(cluster_.reads(), 0);
  EXPECT_FALSE(Holds(pod));
}

TEST_F(ObserverTest, ALabelThatCannotBeWrittenIsTriedAgain) {
  AddNode("n1", 1);
  const model::Pod pod = BoundByUs(PodOf("p", 60, 15), "n1", 60, 3840);
  AddAndShow(pod);
  cluster_.Change(pod.key, [](model::Pod& p) { p.has_gpu_label = false; });
  cluster_.NextPatches({model::WriteOutcome::kUnknown, model::WriteOutcome::kConflict});
  observer_.PodGone(pod);
  Work();
  WorkAfter(seconds(1));
  EXPECT_FALSE(cluster_.Find(pod.key)->has_gpu_label);
  WorkAfter(seconds(2));
  EXPECT_TRUE(cluster_.Find(pod.key)->has_gpu_label);
  EXPECT_EQ(CardAt("n1", 0).core_used, 60);
}

TEST_F(ObserverTest, APodSeenWithoutTheLabelIsReadCountedAndLabelled) {
  AddNode("n1", 1);
  model::Pod pod = BoundByUs(PodOf("p", 60, 15), "n1", 60, 3840);
  pod.has_gpu_label = false;
  AddAndShow(pod);
  EXPECT_FALSE(Holds(pod));  // the slow list may be old by now
  Work();
  EXPECT_TRUE(IsBound(pod));
  EXPECT_TRUE(cluster_.Find(pod.key)->has_gpu_label);
}

TEST_F(ObserverTest, APodSeenWithoutTheLabelThatIsGoneByNowIsNotCounted) {
  AddNode("n1", 1);
  model::Pod pod = BoundByUs(PodOf("p", 60, 15), "n1", 60, 3840);
  pod.has_gpu_label = false;
  AddAndShow(pod);
  cluster_.DeletePod(pod.key);
  Work();
  EXPECT_FALSE(Holds(pod));
}

TEST_F(ObserverTest, WhatAFreshListLacksIsReadBeforeItIsFreed) {
  AddNode("n1", 2);
  const model::Pod gone = BoundByUs(PodOf("gone", 60, 15), "n1", 60, 3840);
  const model::Pod alive = BoundByUs(PodOf("alive", 30, 4), "n1", 30, 1024);
  const model::Pod waiting = PodOf("waiting", 20, 15);
  AddAndShow(gone);
  AddAndShow(alive);
  AddAndShow(waiting);
  cluster_.DeletePod(gone.key);
  cluster_.DeletePod(waiting.key);
  observer_.PodsListed({});
  EXPECT_TRUE(Holds(gone));
  EXPECT_EQ(Work(), 3);
  EXPECT_FALSE(Holds(gone));
  EXPECT_TRUE(Holds(alive));
  EXPECT_EQ(pending_.size(), 0u);
}

TEST_F(ObserverTest, DamagedRecordsAreToldOnceEach) {
  AddNode("n1", 1);
  model::Pod pod = BoundByUs(PodOf("p", 20, 4), "n1", 20, 1024);
  pod.phase = model::PodPhase::kRunning;
  AddAndShow(pod);
  cluster_.Change(pod.key, [](model::Pod& p) { p.annotations["aliquot.io/allocation"] = "{}"; });
  Show(pod.key);
  cluster_.Change(pod.key, [](model::Pod& p) { p.annotations["aliquot.io/allocation"] = "{]"; });
  Show(pod.key);
  Work();
  EXPECT_EQ(EventReasons(), std::vector<std::string>{"GpuRecordChanged"});
  EXPECT_EQ(CardAt("n1", 0).core_used, 20);
  EXPECT_EQ(Problems("record_changed"), 1);
}

TEST_F(ObserverTest, ARunningPodWithoutARecordClosesItsNodeAndSaysSo) {
  AddNode("n1", 1);
  model::Pod pod = PodOf("p", 20, 4);
  pod.node_name = "n1";
  pod.phase = model::PodPhase::kRunning;
  AddAndShow(pod);
  Work();
  EXPECT_EQ(EventReasons(), std::vector<std::string>{"GpuRecordMissing"});
  EXPECT_EQ(cluster_.patches(), 0);  // never given a card
  scoring::NodeState state;
  const auto snapshot = ledger_.Read();
  ASSERT_TRUE(snapshot->Find("n1", &state));
  EXPECT_TRUE(state.closed);
}

TEST_F(ObserverTest, EventsOfOneKindAreLimited) {
  AddNode("n1", 1);
  for (int i = 0; i < 100; ++i) {
    model::Pod pod = PodOf("p" + std::to_string(i), 20, 4);
    pod.node_name = "n1";
    pod.phase = model::PodPhase::kRunning;
    AddAndShow(pod);
  }
  Work();
  EXPECT_EQ(cluster_.events().size(), 20u);
  EXPECT_EQ(Problems("closed_node"), 100);
}

TEST_F(ObserverTest, APodThatFitsInSumOnlyIsToldOnceWhyNobodyIsEvicted) {
  model::Pod pod = PodOf("high", 60, 4);
  pod.priority = 10;
  cluster_.AddPod(pod);
  reporter_.ReportFitsInSumOnly(pod);
  reporter_.ReportFitsInSumOnly(pod);
  Work();
  ASSERT_EQ(EventReasons(), std::vector<std::string>({"FitsInSumOnly"}));
  EXPECT_EQ(cluster_.events()[0].note.substr(0, 36), "the pod fits in sum, not on one card");
}

TEST_F(ObserverTest, APodThatCouldEvictNobodyIsNotToldAboutEviction) {
  reporter_.ReportFitsInSumOnly(PodOf("plain", 60, 4));
  Work();
  EXPECT_TRUE(EventReasons().empty());
}

TEST_F(ObserverTest, DisruptionBudgetsReachTheirKeeper) {
  model::DisruptionBudget budget;
  budget.namespace_name = "default";
  budget.name = "b";
  observer_.BudgetsListed({budget});
  EXPECT_TRUE(budgets_.listed());
  EXPECT_EQ(budgets_.Of("default").size(), 1u);
  observer_.BudgetGone(budget);
  EXPECT_TRUE(budgets_.Of("default").empty());
  observer_.BudgetSeen(budget);
  EXPECT_EQ(budgets_.Of("default").size(), 1u);
}

TEST_F(ObserverTest, TheWatchTellsOfNominations) {
  // Card 0 is full with a pod that is leaving; the nominated pod's 60 are kept beyond it.
  ledger_.SetNode(NodeOf("n", 1));
  Occupy("n", "old", 90, 4);
  model::Pod pod = PodOf("high", 60, 4);
  pod.priority = 10;
  pod.nominated_node = "n";
  AddAndShow(pod);
  ledger_.RemovePod("uid-old");
  observer_.PodsListed({pod.uid});
  scoring::NodeState node;
  const auto snapshot = ledger_.Read();
  ASSERT_TRUE(snapshot->Find("n", &node));
  ASSERT_NE(node.claims, nullptr);
  EXPECT_EQ(node.claims->For(9)[0].core_used, 60);
  EXPECT_EQ(node.claims->For(10), nullptr);
}

}  // namespace
}  // namespace aliquot::reconcile
