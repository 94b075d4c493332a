// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/ledger/ledger_fixture.h"

namespace aliquot::ledger {
namespace {

class ClusterTest : public LedgerFixture {
 protected:
  model::Pod Placed(const std::string& name, int core, int memory, const std::string& node) {
    const model::Pod pod = PodOf(name, core, memory);
    const CommitResult result = Commit(pod, node);
    EXPECT_EQ(result.outcome, CommitOutcome::kReserved);
    return BoundWith(pod, result);
  }
};

TEST_F(ClusterTest, TheWatchConfirmsAReservation) {
  ledger_.SetNode(NodeOf("n1", 1));
  const model::Pod pod = Placed("a", 20, 15, "n1");
  EXPECT_EQ(ledger_.FindHold("uid-a")->state, HoldState::kReserved);
  EXPECT_EQ(ledger_.SetPod(pod).effect, PodEffect::kHeld);
  EXPECT_EQ(ledger_.FindHold("uid-a")->state, HoldState::kBound);
  EXPECT_EQ(ledger_.SetPod(pod).effect, PodEffect::kNone);
  EXPECT_EQ(CardAt("n1", 0).core_used, 20);
}

TEST_F(ClusterTest, AFinishedPodFreesAtOnceAndADeletingOneDoesNot) {
  ledger_.SetNode(NodeOf("n1", 1));
  model::Pod pod = Placed("a", 20, 15, "n1");
  ledger_.SetPod(pod);
  pod.deleting = true;
  ledger_.SetPod(pod);
  EXPECT_EQ(CardAt("n1", 0).core_used, 20);
  pod.phase = model::PodPhase::kSucceeded;
  EXPECT_EQ(ledger_.SetPod(pod).effect, PodEffect::kFreed);
  EXPECT_EQ(CardAt("n1", 0).core_used, 0);
}

TEST_F(ClusterTest, ARecordIsImmutableAfterCommit) {
  ledger_.SetNode(NodeOf("n1", 2));
  model::Pod pod = Placed("a", 20, 15, "n1");
  ledger_.SetPod(pod);
  pod.annotations.erase(std::string(model::kAllocationAnnotation));
  EXPECT_EQ(ledger_.SetPod(pod).effect, PodEffect::kRecordChanged);
  EXPECT_EQ(CardAt("n1", 0).core_used, 20);
  EXPECT_EQ(ledger_.SetPod(pod).effect, PodEffect::kNone);  // said once for one edit
}

TEST_F(ClusterTest, APodReCreatedUnderTheSameNameIsAnotherPod) {
  ledger_.SetNode(NodeOf("n1", 1));
  ledger_.SetPod(Placed("a", 20, 15, "n1"));
  model::Pod again = PodOf("a", 30, 15);
  again.uid = "uid-second";
  const CommitResult result = Commit(again, "n1");
  ASSERT_EQ(result.outcome, CommitOutcome::kReserved);
  EXPECT_EQ(CardAt("n1", 0).core_used, 50);
  ledger_.RemovePod("uid-a");
  EXPECT_EQ(CardAt("n1", 0).core_used, 30);
}

TEST_F(ClusterTest, BoundElsewhereByOthersMovesTheHold) {
  ledger_.SetNode(NodeOf("n1", 1));
  ledger_.SetNode(NodeOf("n2", 1));
  const model::Pod pod = PodOf("a", 20, 15);
  ASSERT_EQ(Commit(pod, "n1").outcome, CommitOutcome::kReserved);
  EXPECT_EQ(ledger_.SetPod(Bound(pod, "n2")).effect, PodEffect::kNeedsStamp);
  EXPECT_EQ(CardAt("n1", 0).core_used, 0);
  EXPECT_EQ(ledger_.Counts().pods_unstamped, 1);
  EXPECT_EQ(Commit(pod, "n2").outcome, CommitOutcome::kReserved);
}

TEST_F(ClusterTest, ABoundPodWithoutOurReservedAnnotationsStillNeedsItsStamp) {
  ledger_.SetNode(NodeOf("n1", 1));
  const model::Pod pod = PodOf("a", 20, 15);
  ASSERT_EQ(Commit(pod, "n1").outcome, CommitOutcome::kReserved);
  EXPECT_EQ(ledger_.SetPod(Bound(pod, "n1")).effect, PodEffect::kNeedsStamp);
  EXPECT_EQ(CardAt("n1", 0).core_used, 20);
}

TEST_F(ClusterTest, ARunningPodWithoutAnyRecordClosesItsNodeUntilItIsGone) {
  ledger_.SetNode(NodeOf("n1", 4));
  model::Pod pod = Bound(PodOf("stranger", 20, 15), "n1");
  pod.phase = model::PodPhase::kRunning;
  EXPECT_EQ(ledger_.SetPod(pod).effect, PodEffect::kClosedNode);
  EXPECT_TRUE(Closed("n1"));
  EXPECT_EQ(Commit(PodOf("a", 20, 15), "n1").refusal, scoring::Refusal::kClosed);
  ledger_.RemovePod(pod.uid);
  EXPECT_FALSE(Closed("n1"));
}

TEST_F(ClusterTest, ADamagedRecordFallsBackToTheIndexAnnotation) {
  ledger_.SetNode(NodeOf("n1", 4));
  model::Pod pod = Bound(PodOf("a", 20, 15), "n1");
  pod.annotations[std::string(model::kAllocationAnnotation)] = "{\"v\":99}";
  pod.annotations["tencent.com/predicate-gpu-idx-0"] = "2";
  EXPECT_EQ(ledger_.SetPod(pod).effect, PodEffect::kAdoptedByIndex);
  EXPECT_EQ(CardAt("n1", 2).core_used, 20);
  EXPECT_EQ(CardAt("n1", 0).core_used, 0);
}

TEST_F(ClusterTest, WithoutAnIndexADamagedRecordCountsOnEveryCardAndNeverAsFree) {
  ledger_.SetNode(NodeOf("n1", 3));
  model::Pod pod = Bound(PodOf("a", 20, 15), "n1");
  pod.annotations[std::string(model::kAllocationAnnotation)] = "not json";
  const PodChange change = ledger_.SetPod(pod);
  EXPECT_EQ(change.effect, PodEffect::kCountedOnAll);
  EXPECT_NE(change.problem, "");
  for (int card = 0; card < 3; ++card) {
    EXPECT_EQ(CardAt("n1", card).core_used, 20) << card;  // what it asked for, no more
  }
}

TEST_F(ClusterTest, HoldsSurviveTheirNodeObjectAndFollowTheirCards) {
  ledger_.SetNode(NodeOf("n1", 3));
  ledger_.SetPod(Placed("a", 20, 15, "n1"));
  ledger_.RemoveNode("n1");
  scoring::NodeState gone;
  EXPECT_FALSE(ledger_.Read()->Find("n1", &gone));
  // The same cards come back in another order: the hold is by UUID.
  model::Node node = NodeOf("n1", 3);
  auto inventory = std::make_shared<model::Inventory>(*node.inventory);
  std::swap(inventory->cards[0], inventory->cards[2]);
  node.inventory = inventory;
  ledger_.SetNode(node);
  EXPECT_EQ(CardAt("n1", 0).core_used, 0);
  EXPECT_EQ(CardAt("n1", 2).core_used, 20);
}

TEST_F(ClusterTest, PodsListedBeforeTheirNodeCountOnceItAppears) {
  ledger_.SetNode(NodeOf("n1", 1));
  const model::Pod pod = Placed("a", 20, 15, "n1");
  Ledger rebuilt(placer_, catalog_, model::ResourceNames(), clock_);
  EXPECT_EQ(rebuilt.SetPod(pod).effect, PodEffect::kHeld);
  rebuilt.SetNode(NodeOf("n1", 1));
  scoring::NodeState state;
  const auto snapshot = rebuilt.Read();
  ASSERT_TRUE(snapshot->Find("n1", &state));
  EXPECT_EQ(state.cards[0].core_used, 20);
}

TEST_F(ClusterTest, AnUnhealthyCardKeepsItsHoldsAndTakesNothingNew) {
  ledger_.SetNode(NodeOf("n1", 1));
  ledger_.SetPod(Placed("a", 20, 15, "n1"));
  model::Node node = NodeOf("n1", 1);
  auto inventory = std::make_shared<model::Inventory>(*node.inventory);
  inventory->cards[0].health = "xid-79";
  node.inventory = inventory;
  ledger_.SetNode(node);
  EXPECT_EQ(CardAt("n1", 0).core_used, 20);
  EXPECT_FALSE(CardAt("n1", 0).usable);
  EXPECT_EQ(Commit(PodOf("b", 20, 15), "n1").refusal, scoring::Refusal::kNoUsableCard);
}

TEST_F(ClusterTest, OverBookingByOthersNeverWrapsIntoFree) {
  ledger_.SetNode(NodeOf("n1", 1));
  for (int i = 0; i < 400; ++i) {  // 400 x 99 % is past 16 bits
    model::Pod pod = Bound(PodOf("a" + std::to_string(i), 99, 15), "n1");
    pod.annotations[std::string(model::kAllocationAnnotation)] = "broken";
    ledger_.SetPod(pod);
  }
  EXPECT_LT(CardAt("n1", 0).core_free(), 0);
  for (int i = 0; i < 400; ++i) {
    ledger_.RemovePod("uid-a" + std::to_string(i));
  }
  EXPECT_TRUE(CardAt("n1", 0).idle());
}

TEST_F(ClusterTest, BoundNotInNamesOnlyBoundPodsThatAreMissing) {
  ledger_.SetNode(NodeOf("n1", 4));
  ledger_.SetPod(Placed("seen", 20, 15, "n1"));
  ledger_.SetPod(Placed("missing", 20, 15, "n1"));
  ASSERT_EQ(Commit(PodOf("reserved", 20, 15), "n1").outcome, CommitOutcome::kReserved);
  StringSet seen;
  seen.insert("uid-seen");
  const auto missing = ledger_.BoundNotIn(seen);
  ASSERT_EQ(missing.size(), 1u);
  EXPECT_EQ(missing[0].first, "uid-missing");
  EXPECT_EQ(missing[0].second.ToString(), "default/missing");
}

TEST_F(ClusterTest, NodesThatAreGoneAreGivenUpSoThatNamesMayChangeForEver) {
  for (int i = 0; i < 1000; ++i) {
    const std::string name = "spot-" + std::to_string(i);
    ledger_.SetNode(NodeOf(name, 1));
    ledger_.RemoveNode(name);
  }
  ledger_.SetNode(NodeOf("stays", 1));
  EXPECT_EQ(ledger_.Read()->Nodes().size(), 1u);
  EXPECT_EQ(ledger_.Counts().nodes, 1);
}

}  // namespace
}  // namespace aliquot::ledger
