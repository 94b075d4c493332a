// SPDX-License-Identifier: Apache-2.0
#include "extender/bind.h"

#include "api/allocation_codec.h"
#include "scoring/refusal.h"
#include "tests/unit/extender/bind_fixture.h"

// The rules of one bind whose Binding is answered at once. Silent API servers: bind_desk_test.cc.

namespace aliquot::extender {
namespace {

using scoring::Refusal;
using scoring::RefusalSentence;

class BindTest : public BindFixture {};

TEST_F(BindTest, NodeAndCardsAreInOneWriteAndNothingIsRead) {
  AddNode("n1", 2);
  const model::Pod pod = PodOf("p", 20, 15);
  AddPending(pod);
  EXPECT_EQ(BindNow(pod, "n1"), "");

  ASSERT_EQ(cluster_.binds(), 1);
  EXPECT_EQ(cluster_.reads(), 0);
  EXPECT_EQ(cluster_.patches(), 0);
  const model::BindOrder order = cluster_.orders()[0];
  EXPECT_EQ(order.uid, "uid-p");
  EXPECT_EQ(order.node, "n1");
  EXPECT_EQ(order.annotations.at("tencent.com/predicate-gpu-idx-0"), "0");
  EXPECT_EQ(order.annotations.at("tencent.com/predicate-node"), "n1");
  const auto record = api::ParseAllocation(order.annotations.at("aliquot.io/allocation"));
  ASSERT_TRUE(record.ok());
  EXPECT_EQ(record->uid, "uid-p");
  EXPECT_EQ(record->containers[0].cards[0].uuid, "GPU-n1-0");
  EXPECT_TRUE(IsBound(pod));
  EXPECT_EQ(CardAt("n1", 0).core_used, 20);
  EXPECT_EQ(log_.lines(), std::vector<std::string>{"bind bound n1 main=0"});
}

TEST_F(BindTest, ThePodThatOnlyAFilterRequestHasShownNeedsNoRead) {
  AddNode("n1", 1);
  const model::Pod pod = PodOf("p", 20, 15);
  cluster_.AddPod(pod);
  ledger::PendingPod known;
  known.key = pod.key;
  known.uid = pod.uid;
  known.demand = *model::DemandOf(pod, names_);
  pending_.Asked(known);
  EXPECT_EQ(BindNow(pod, "n1"), "");
  EXPECT_EQ(cluster_.reads(), 0);
  EXPECT_EQ(bind_->lookups(), 0);
  EXPECT_EQ(pending_.size(), 0u);
}

TEST_F(BindTest, AnUnknownPodIsReadOnce) {
  AddNode("n1", 1);
  const model::Pod pod = PodOf("p", 20, 15);
  cluster_.AddPod(pod);
  EXPECT_EQ(BindNow(pod, "n1"), "");
  EXPECT_EQ(cluster_.reads(), 1);
  EXPECT_EQ(bind_->lookups(), 1);
  EXPECT_TRUE(IsBound(pod));
}

TEST_F(BindTest, AnUnknownPodThatDoesNotExistIsRefused) {
  AddNode("n1", 1);
  EXPECT_EQ(BindNow(PodOf("p", 20, 15), "n1"), "the pod is gone, or was made again under its name");
  EXPECT_EQ(cluster_.binds(), 0);
  EXPECT_EQ(desk_->pending(), 0);
}

TEST_F(BindTest, AnUnknownPodThatAsksForNothingOfOursIsRefused) {
  AddNode("n1", 1);
  model::Pod pod = PodOf("p", 20, 15);
  pod.gpu_containers.clear();
  cluster_.AddPod(pod);
  EXPECT_EQ(BindNow(pod, "n1"), "the pod asks for no GPU share, so this extender does not bind it");
  EXPECT_EQ(cluster_.binds(), 0);
}

TEST_F(BindTest, AnUnknownPodWithAnInvalidDemandIsRefusedWithItsSentence) {
  AddNode("n1", 2);
  const model::Pod pod = PodOf("p", 150, 0);
  cluster_.AddPod(pod);
  EXPECT_NE(BindNow(pod, "n1").find("tencent.com/vcuda-core is 150"), std::string::npos);
  EXPECT_EQ(cluster_.binds(), 0);
}

TEST_F(BindTest, AnUnknownPodThatCannotBeReadIsAnErrorAndHoldsNothing) {
  AddNode("n1", 1);
  const model::Pod pod = PodOf("p", 20, 15);
  cluster_.AddPod(pod);
  cluster_.SetReadable(false);
  EXPECT_EQ(BindNow(pod, "n1"), "the pod could not be read from the API server");
  EXPECT_FALSE(ledger_.FindHold(pod.uid));
  EXPECT_EQ(desk_->pending(), 0);
}

TEST_F(BindTest, TheSameNodeTwiceIsDoneOnce) {
  AddNode("n1", 1);
  const model::Pod pod = PodOf("p", 60, 8);
  AddPending(pod);
  EXPECT_EQ(BindNow(pod, "n1"), "");
  EXPECT_EQ(BindNow(pod, "n1"), "");
  EXPECT_EQ(cluster_.binds(), 1);
  EXPECT_EQ(CardAt("n1", 0).core_used, 60);
}

TEST_F(BindTest, AnotherNodeIsRefusedOnceItIsBound) {
  AddNode("n1", 1);
  AddNode("n2", 1);
  const model::Pod pod = PodOf("p", 60, 8);
  AddPending(pod);
  EXPECT_EQ(BindNow(pod, "n1"), "");
  EXPECT_EQ(BindNow(pod, "n2"), "the pod is bound to another node");
  EXPECT_EQ(cluster_.binds(), 1);
  EXPECT_TRUE(CardAt("n2", 0).idle());
}

TEST_F(BindTest, WhatDoesNotFitIsRefusedWithTheSentenceAndReservesNothing) {
  AddNode("n1", 1);
  Occupy("n1", "other", 90, 8);
  const model::Pod pod = PodOf("p", 20, 8);
  AddPending(pod);
  EXPECT_EQ(BindNow(pod, "n1"), RefusalSentence(Refusal::kNotEnoughFree));
  EXPECT_FALSE(ledger_.FindHold(pod.uid));
  EXPECT_EQ(cluster_.binds(), 0);
  EXPECT_NE(pending_.FindUid(pod.uid), nullptr);  // it will come again
}

TEST_F(BindTest, ANodeDeletedBetweenFilterAndBindIsRefused) {
  AddNode("n1", 1);
  const model::Pod pod = PodOf("p", 20, 8);
  AddPending(pod);
  ledger_.RemoveNode("n1");
  EXPECT_EQ(BindNow(pod, "n1"), RefusalSentence(Refusal::kUnknownNode));
  EXPECT_FALSE(ledger_.FindHold(pod.uid));
  EXPECT_EQ(cluster_.binds(), 0);
}

TEST_F(BindTest, APodDeletedBetweenFilterAndBindGivesItsCardsBack) {
  AddNode("n1", 1);
  const model::Pod pod = PodOf("p", 20, 8);
  AddPending(pod);
  cluster_.DeletePod(pod.key);
  EXPECT_EQ(BindNow(pod, "n1"), "the API server refused the bind: pod not found");
  EXPECT_FALSE(ledger_.FindHold(pod.uid));
  EXPECT_TRUE(CardAt("n1", 0).idle());
}

TEST_F(BindTest, APodMadeAgainUnderTheNameIsAnotherPod) {
  AddNode("n1", 1);
  model::Pod pod = PodOf("p", 20, 8);
  AddPending(pod);
  model::Pod again = pod;
  again.uid = "uid-p-2";
  cluster_.AddPod(again);
  EXPECT_EQ(BindNow(pod, "n1"), "the API server refused the bind: pod not found");
  EXPECT_TRUE(CardAt("n1", 0).idle());
  EXPECT_EQ(BindNow(again, "n1"), "");
  EXPECT_TRUE(IsBound(again));
  EXPECT_FALSE(ledger_.FindHold(pod.uid));
  EXPECT_EQ(cluster_.Find(pod.key)->node_name, "n1");
}

TEST_F(BindTest, AUidUnderAnotherNameIsRefused) {
  AddNode("n1", 1);
  model::Pod pod = PodOf("p", 20, 8);
  AddPending(pod);
  pod.key.name = "q";
  EXPECT_EQ(BindNow(pod, "n1"), "the pod's UID belongs to a pod of another name");
  EXPECT_EQ(cluster_.binds(), 0);
  EXPECT_EQ(desk_->pending(), 0);
}

TEST_F(BindTest, AUidThatIsBoundUnderAnotherNameIsRefusedToo) {
  AddNode("n1", 1);
  model::Pod pod = PodOf("p", 20, 8);
  AddPending(pod);
  ASSERT_EQ(BindNow(pod, "n1"), "");
  pod.key.namespace_name = "elsewhere";
  EXPECT_EQ(BindNow(pod, "n1"), "the pod's UID belongs to a pod of another name");
  EXPECT_EQ(cluster_.binds(), 1);
}

TEST_F(BindTest, ARefusalOfTheApiServerGivesTheCardsBack) {
  AddNode("n1", 1);
  const model::Pod pod = PodOf("p", 20, 8);
  AddPending(pod);
  cluster_.NextBinds({BindFate::kRefuse});
  EXPECT_EQ(BindNow(pod, "n1"), "the API server refused the bind: admission denied the request");
  EXPECT_TRUE(CardAt("n1", 0).idle());
  EXPECT_EQ(BindNow(pod, "n1"), "");  // the next try is free to succeed
}

TEST_F(BindTest, AConflictWithOurOwnEarlierBindIsSuccess) {
  AddNode("n1", 1);
  const model::Pod pod = PodOf("p", 20, 8);
  AddPending(pod);
  cluster_.NextBinds({BindFate::kApplyAndConflict});
  EXPECT_EQ(BindNow(pod, "n1"), "");
  EXPECT_EQ(cluster_.reads(), 1);
  EXPECT_TRUE(IsBound(pod));
}

TEST_F(BindTest, AConflictBecauseItIsBoundElsewhereGivesTheCardsBack) {
  AddNode("n1", 1);
  AddNode("n2", 1);
  const model::Pod pod = PodOf("p", 20, 8);
  AddPending(pod);
  cluster_.Change(pod.key, [](model::Pod& p) { p.node_name = "n2"; });
  EXPECT_EQ(BindNow(pod, "n1"), "the pod is bound to another node");
  EXPECT_FALSE(ledger_.FindHold(pod.uid));
}

// Bound to this very node by somebody who wrote no record: it will need these cards for its late
// stamp.
TEST_F(BindTest, AConflictWithABindToTheSameNodeKeepsTheCards) {
  AddNode("n1", 1);
  const model::Pod pod = PodOf("p", 20, 8);
  AddPending(pod);
  cluster_.Change(pod.key, [](model::Pod& p) { p.node_name = "n1"; });
  EXPECT_EQ(BindNow(pod, "n1"), "");
  EXPECT_TRUE(IsReserved(pod));
  EXPECT_EQ(CardAt("n1", 0).core_used, 20);
}

TEST_F(BindTest, AConflictOfAPodThatIsStillUnboundGivesTheCardsBack) {
  AddNode("n1", 1);
  const model::Pod pod = PodOf("p", 20, 8);
  AddPending(pod);
  model::Pod elsewhere = pod;
  elsewhere.node_name = "n2";
  cluster_.AddPod(elsewhere);
  cluster_.HoldReads(true);
  auto bind = BindLater(pod, "n1");
  ASSERT_TRUE(Eventually([&] { return cluster_.reads() == 1; }));
  cluster_.AddPod(pod);  // unbound when it is read
  cluster_.HoldReads(false);
  EXPECT_EQ(bind.get(), "the API server refused the bind: pod is already assigned to node n2");
  EXPECT_FALSE(ledger_.FindHold(pod.uid));
}

TEST_F(BindTest, AReservationOfTheWebhookStampIsUsedAndNotGivenBack) {
  AddNode("n1", 2);
  const model::Pod pod = PodOf("p", 20, 8);
  AddPending(pod);
  auto request = RequestFor(pod, "n1");
  request.expires = clock_.SteadyNow() + std::chrono::seconds(15);
  ASSERT_EQ(ledger_.Commit(request).outcome, ledger::CommitOutcome::kReserved);
  cluster_.NextBinds({BindFate::kRefuse});
  EXPECT_NE(BindNow(pod, "n1"), "");
  EXPECT_TRUE(IsReserved(pod));  // the other Binding may still be on its way
  EXPECT_EQ(BindNow(pod, "n1"), "");
  EXPECT_TRUE(IsBound(pod));
  EXPECT_EQ(CardAt("n1", 0).core_used, 20);
  EXPECT_TRUE(CardAt("n1", 1).idle());
}

TEST_F(BindTest, ACommitOnAnotherNodeIsRefused) {
  AddNode("n1", 1);
  AddNode("n2", 1);
  const model::Pod pod = PodOf("p", 20, 8);
  AddPending(pod);
  ASSERT_EQ(ledger_.Commit(RequestFor(pod, "n2")).outcome, ledger::CommitOutcome::kReserved);
  EXPECT_EQ(BindNow(pod, "n1"), "the pod is being bound to another node");
  EXPECT_EQ(cluster_.binds(), 0);
}

TEST_F(BindTest, ABodyThatCannotBeUsedIsAnErrorWithStatus200) {
  for (const char* body :
       {"", "{", "null", "{\"PodName\":\"p\"}",
        "{\"PodName\":\"../x\",\"PodNamespace\":\"d\",\"PodUID\":\"u\",\"Node\":\"n\"}"}) {
    const Reply reply = bind_->Handle(body);
    EXPECT_EQ(reply.status, 200);
    EXPECT_NE(nlohmann::json::parse(reply.body)["Error"], "") << body;
  }
  EXPECT_EQ(cluster_.binds(), 0);
}

TEST_F(BindTest, EveryAnswerIsCountedByItsOutcome) {
  AddNode("n1", 1);
  const model::Pod pod = PodOf("p", 60, 8);
  AddPending(pod);
  BindNow(pod, "n1");
  BindNow(PodOf("gone", 60, 8), "n1");
  bind_->Handle("{");
  const auto count = [&](const std::string& outcome) {
    return MetricValue(
        metrics_, "aliquot_allocator_requests_total{outcome=\"" + outcome + "\",verb=\"bind\"}");
  };
  EXPECT_EQ(count("ok"), 1);
  EXPECT_EQ(count("refused"), 1);
  EXPECT_EQ(count("invalid"), 1);
}

}  // namespace
}  // namespace aliquot::extender
