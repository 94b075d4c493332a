// SPDX-License-Identifier: Apache-2.0
#include "reconcile/late_stamp.h"

#include "api/allocation_codec.h"
#include "scoring/refusal.h"
#include "tests/unit/reconcile/reconcile_fixture.h"

namespace aliquot::reconcile {
namespace {

using scoring::Refusal;
using std::chrono::milliseconds;
using std::chrono::seconds;

class LateStampTest : public ReconcileFixture {
 protected:
  static model::Pod BoundByHand(const std::string& name, int core, int memory) {
    model::Pod pod = PodOf(name, core, memory);
    pod.node_name = "n1";
    return pod;
  }
  std::string RecordOf(const model::Pod& pod) const {
    const auto found = cluster_.Find(pod.key);
    const std::string* record = found->Annotation("aliquot.io/allocation");
    return record == nullptr ? "" : *record;
  }
};

TEST_F(LateStampTest, APodBoundBySomebodyElseGetsItsCards) {
  AddNode("n1", 2);
  const model::Pod pod = BoundByHand("p", 60, 8);
  AddAndShow(pod);
  EXPECT_EQ(cluster_.patches(), 0);  // not on the watch's thread
  EXPECT_EQ(Work(), 1);
  const auto record = api::ParseAllocation(RecordOf(pod));
  ASSERT_TRUE(record.ok());
  EXPECT_EQ(record->uid, pod.uid);
  EXPECT_EQ(record->containers[0].cards[0].uuid, "GPU-n1-0");
  EXPECT_EQ(*cluster_.Find(pod.key)->Annotation("tencent.com/predicate-gpu-idx-0"), "0");
  EXPECT_TRUE(IsBound(pod));
  EXPECT_EQ(late_stamp_.waiting(), 0u);
  Show(pod.key);  // the watch shows our own patch
  EXPECT_EQ(Work(), 0);
  EXPECT_TRUE(IsBound(pod));
  EXPECT_EQ(CardAt("n1", 0).core_used, 60);
}

TEST_F(LateStampTest, WithoutRoomItGetsAConditionAndOneEventAndIsNeverOverbooked) {
  AddNode("n1", 1);
  Occupy("n1", "other", 70, 8);
  const model::Pod pod = BoundByHand("p", 60, 8);
  AddAndShow(pod);
  Work();
  ASSERT_EQ(cluster_.conditions().size(), 1u);
  const model::PodCondition condition = cluster_.conditions()[0].second;
  EXPECT_EQ(condition.type, "aliquot.io/GpuAllocated");
  EXPECT_FALSE(condition.status);
  EXPECT_EQ(condition.message, scoring::RefusalSentence(Refusal::kNotEnoughFree));
  Work();
  EXPECT_EQ(EventReasons(), std::vector<std::string>{"NoGpuOnNode"});
  EXPECT_EQ(RecordOf(pod), "");
  EXPECT_EQ(CardAt("n1", 0).core_used, 70);
}

TEST_F(LateStampTest, WhatItTellsDoesNotMakeItTryAgain) {
  AddNode("n1", 1);
  Occupy("n1", "other", 70, 8);
  const model::Pod pod = BoundByHand("p", 60, 8);
  AddAndShow(pod);
  Work();
  for (int i = 0; i < 50; ++i) {
    Show(pod.key);  // our condition, kubelet's status
    EXPECT_EQ(Work(), 0);
  }
  // The pauses between tries grow, and nothing is written twice.
  int tries = 0;
  for (int second = 0; second < 600; ++second) {
    tries += WorkAfter(seconds(1));
  }
  EXPECT_LE(tries, 16);
  EXPECT_EQ(cluster_.conditions().size(), 1u);
  EXPECT_EQ(cluster_.events().size(), 1u);
}

TEST_F(LateStampTest, RoomOnItsNodeIsUsedSoon) {
  AddNode("n1", 1);
  const model::Pod other = BoundByUs(PodOf("other", 70, 8), "n1", 70, 2048);
  AddAndShow(other);
  const model::Pod pod = BoundByHand("p", 60, 8);
  AddAndShow(pod);
  for (int i = 0; i < 200; ++i) {
    WorkAfter(seconds(1));  // the pauses have grown to a minute
  }
  cluster_.Change(other.key, [](model::Pod& p) { p.phase = model::PodPhase::kSucceeded; });
  Show(other.key);
  WorkAfter(seconds(1));
  EXPECT_NE(RecordOf(pod), "");
  EXPECT_TRUE(IsBound(pod));
  ASSERT_EQ(cluster_.conditions().size(), 2u);
  EXPECT_TRUE(cluster_.conditions()[1].second.status);
}

TEST_F(LateStampTest, ChangesOfItsNodeAreAnsweredAtMostOnceASecond) {
  AddNode("n1", 1);
  Occupy("n1", "other", 70, 8);
  AddAndShow(BoundByHand("p", 60, 8));
  Work();
  int tries = 0;
  for (int i = 0; i < 1000; ++i) {
    observer_.NodeSeen(NodeOf("n1", 1));
    tries += WorkAfter(milliseconds(10));
  }
  EXPECT_LE(tries, 11);
  EXPECT_GE(tries, 5);
}

TEST_F(LateStampTest, AnUnknownPatchKeepsTheCardsAndIsRepeatedWithTheSame) {
  AddNode("n1", 2);
  const model::Pod pod = BoundByHand("p", 60, 8);
  cluster_.NextPatches({model::WriteOutcome::kUnknown});
  AddAndShow(pod);
  Work();
  EXPECT_TRUE(IsReserved(pod));
  Occupy("n1", "other", 60, 8);  // must take the other card
  WorkAfter(seconds(1));
  const auto record = api::ParseAllocation(RecordOf(pod));
  ASSERT_TRUE(record.ok());
  EXPECT_EQ(record->containers[0].cards[0].uuid, "GPU-n1-0");
  EXPECT_EQ(CardAt("n1", 0).core_used, 60);
  EXPECT_EQ(CardAt("n1", 1).core_used, 60);
}

TEST_F(LateStampTest, APodThatIsGoneGivesItsCardsBack) {
  AddNode("n1", 1);
  const model::Pod pod = BoundByHand("p", 60, 8);
  AddAndShow(pod);
  cluster_.DeletePod(pod.key);
  Work();
  EXPECT_TRUE(CardAt("n1", 0).idle());
  EXPECT_EQ(late_stamp_.waiting(), 0u);
}

TEST_F(LateStampTest, APodThatFinishedMeanwhileIsForgotten) {
  AddNode("n1", 1);
  Occupy("n1", "other", 70, 8);
  const model::Pod pod = BoundByHand("p", 60, 8);
  AddAndShow(pod);
  Work();
  cluster_.Change(pod.key, [](model::Pod& p) { p.phase = model::PodPhase::kFailed; });
  Show(pod.key);
  EXPECT_EQ(late_stamp_.waiting(), 0u);
}

TEST_F(LateStampTest, APodThatStartedMeanwhileIsNotGivenACard) {
  AddNode("n1", 1);
  const model::Pod pod = BoundByHand("p", 60, 8);
  cluster_.NextPatches({model::WriteOutcome::kRefused});
  AddAndShow(pod);
  Work();
  EXPECT_TRUE(IsReserved(pod));
  cluster_.Change(pod.key, [](model::Pod& p) { p.phase = model::PodPhase::kRunning; });
  Show(pod.key);
  WorkAfter(seconds(120));
  EXPECT_EQ(cluster_.patches(), 1);
  EXPECT_EQ(RecordOf(pod), "");
  scoring::NodeState state;
  const auto snapshot = ledger_.Read();
  ASSERT_TRUE(snapshot->Find("n1", &state));
  EXPECT_TRUE(state.closed);
}

TEST_F(LateStampTest, ACordonedNodeStillStampsThePodsItHas) {
  model::Node node = NodeOf("n1", 1);
  node.unschedulable = true;
  ledger_.SetNode(node);
  const model::Pod pod = BoundByHand("p", 60, 8);
  AddAndShow(pod);
  Work();
  EXPECT_TRUE(IsBound(pod));
}

TEST_F(LateStampTest, ABindThatLostToAHandBindOnTheSameNodeLeavesItsCardsToTheStamp) {
  AddNode("n1", 1);
  const model::Pod pod = PodOf("p", 60, 8);
  AddAndShow(pod);
  cluster_.Change(pod.key, [](model::Pod& p) { p.node_name = "n1"; });
  EXPECT_EQ(BindNow(pod, "n1"), "");  // 409: it is there already
  EXPECT_TRUE(IsReserved(pod));
  Show(pod.key);
  Work();
  EXPECT_TRUE(IsBound(pod));
  EXPECT_NE(RecordOf(pod), "");
  EXPECT_EQ(CardAt("n1", 0).core_used, 60);
}

}  // namespace
}  // namespace aliquot::reconcile
