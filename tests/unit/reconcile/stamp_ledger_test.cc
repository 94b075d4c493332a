// SPDX-License-Identifier: Apache-2.0
#include "reconcile/stamp_ledger.h"

#include "api/allocation_codec.h"
#include "scoring/refusal.h"
#include "tests/unit/reconcile/reconcile_fixture.h"

namespace aliquot::reconcile {
namespace {

using admission::StampDecision;
using scoring::Refusal;
using std::chrono::seconds;
using Outcome = StampDecision::Outcome;

class StampLedgerTest : public ReconcileFixture {
 protected:
  StampDecision Decide(const model::Pod& pod, const std::string& node, bool dry_run = false) {
    return stamp_.Decide(pod.key, pod.uid, node, dry_run);
  }

  StampLedger stamp_{ledger_,
                     pending_,
                     placer_,
                     clock_,
                     log_,
                     extender::AnnotationOptions(),
                     StampLedgerOptions()};
};

TEST_F(StampLedgerTest, ReservesForAPodThatTheWatchKnowsAsUnbound) {
  AddNode("n1", 1);
  const model::Pod pod = PodOf("p", 60, 8);
  AddAndShow(pod);
  const StampDecision decision = Decide(pod, "n1");
  ASSERT_EQ(decision.outcome, Outcome::kAnnotations);
  EXPECT_EQ(decision.annotations.at("tencent.com/predicate-gpu-idx-0"), "0");
  EXPECT_TRUE(api::ParseAllocation(decision.annotations.at("aliquot.io/allocation")).ok());
  EXPECT_TRUE(IsReserved(pod));
  EXPECT_EQ(log_.lines(), std::vector<std::string>{"stamp stamped n1 main=0"});
}

TEST_F(StampLedgerTest, WithoutASignatureNothingIsStampedAndNothingHeld) {
  const signing::Signer without_key("/nowhere");
  extender::AnnotationOptions options;
  options.signer = &without_key;
  StampLedger stamp(ledger_, pending_, placer_, clock_, log_, options, StampLedgerOptions());
  AddNode("n1", 1);
  const model::Pod pod = PodOf("p", 60, 8);
  AddAndShow(pod);
  const StampDecision decision = stamp.Decide(pod.key, pod.uid, "n1", false);
  EXPECT_EQ(decision.outcome, Outcome::kDenied);
  EXPECT_NE(decision.reason.find("the record cannot be signed"), std::string::npos);
  EXPECT_FALSE(Holds(pod));
  // It was no reservation that ended: the next one is made.
  EXPECT_EQ(Decide(pod, "n1").outcome, Outcome::kAnnotations);
}

TEST_F(StampLedgerTest, ABindingWithoutUidIsFoundByName) {
  AddNode("n1", 1);
  const model::Pod pod = PodOf("p", 60, 8);
  AddAndShow(pod);
  EXPECT_EQ(stamp_.Decide(pod.key, "", "n1", false).outcome, Outcome::kAnnotations);
}

TEST_F(StampLedgerTest, APodKnownFromAFilterRequestOnlyIsLeftAlone) {
  AddNode("n1", 1);
  const model::Pod pod = PodOf("p", 60, 8);
  ledger::PendingPod asked;
  asked.key = pod.key;
  asked.uid = pod.uid;
  asked.demand = *model::DemandOf(pod, names_);
  pending_.Asked(asked);
  EXPECT_EQ(Decide(pod, "n1").outcome, Outcome::kNotOurs);
  EXPECT_FALSE(Holds(pod));
}

TEST_F(StampLedgerTest, AUidUnderAnotherNameIsLeftAlone) {
  AddNode("n1", 1);
  model::Pod pod = PodOf("p", 60, 8);
  AddAndShow(pod);
  EXPECT_EQ(stamp_.Decide({"default", "q"}, pod.uid, "n1", false).outcome, Outcome::kNotOurs);
  EXPECT_FALSE(Holds(pod));
}

TEST_F(StampLedgerTest, DeniesWithTheReasonWhenItDoesNotFit) {
  AddNode("n1", 1);
  Occupy("n1", "other", 70, 8);
  const model::Pod pod = PodOf("p", 60, 8);
  AddAndShow(pod);
  const StampDecision decision = Decide(pod, "n1");
  EXPECT_EQ(decision.outcome, Outcome::kDenied);
  EXPECT_EQ(decision.reason, scoring::RefusalSentence(Refusal::kNotEnoughFree));
  EXPECT_EQ(Decide(pod, "elsewhere").reason, scoring::RefusalSentence(Refusal::kUnknownNode));
  EXPECT_FALSE(Holds(pod));
}

TEST_F(StampLedgerTest, ADryRunChangesNothing) {
  AddNode("n1", 1);
  const model::Pod pod = PodOf("p", 60, 8);
  AddAndShow(pod);
  const auto before = ledger_.generation();
  EXPECT_EQ(Decide(pod, "n1", true).outcome, Outcome::kNotOurs);
  EXPECT_EQ(Decide(pod, "elsewhere", true).outcome, Outcome::kDenied);
  Occupy("n1", "other", 70, 8);
  EXPECT_EQ(Decide(pod, "n1", true).outcome, Outcome::kDenied);
  EXPECT_FALSE(Holds(pod));
  EXPECT_NE(ledger_.generation(), before);  // by Occupy, which shows that the comparison can fail
}

TEST_F(StampLedgerTest, TheReservationEndsAfterFifteenSeconds) {
  AddNode("n1", 1);
  const model::Pod pod = PodOf("p", 60, 8);
  AddAndShow(pod);
  Decide(pod, "n1");
  clock_.Advance(seconds(15) - std::chrono::nanoseconds(1));
  EXPECT_EQ(ledger_.ReleaseExpired(), 0);
  clock_.Advance(std::chrono::nanoseconds(1));
  EXPECT_EQ(ledger_.ReleaseExpired(), 1);
  EXPECT_FALSE(Holds(pod));
}

TEST_F(StampLedgerTest, ReservesOnceAPod) {
  AddNode("n1", 1);
  const model::Pod pod = PodOf("p", 60, 8);
  AddAndShow(pod);
  const StampDecision first = Decide(pod, "n1");
  const StampDecision again = Decide(pod, "n1");  // the same Binding, sent again
  EXPECT_EQ(again.outcome, Outcome::kAnnotations);
  EXPECT_EQ(again.annotations.at("aliquot.io/allocation"),
            first.annotations.at("aliquot.io/allocation"));
  EXPECT_EQ(CardAt("n1", 0).core_used, 60);
  clock_.Advance(seconds(15));
  ledger_.ReleaseExpired();
  EXPECT_EQ(Decide(pod, "n1").outcome, Outcome::kNotOurs);
  EXPECT_FALSE(Holds(pod));
}

TEST_F(StampLedgerTest, AnotherNodeIsDeniedWhileItIsReserved) {
  AddNode("n1", 1);
  AddNode("n2", 1);
  const model::Pod pod = PodOf("p", 60, 8);
  AddAndShow(pod);
  Decide(pod, "n1");
  EXPECT_EQ(Decide(pod, "n2").outcome, Outcome::kDenied);
  EXPECT_TRUE(CardAt("n2", 0).idle());
}

TEST_F(StampLedgerTest, TheWatchShowingTheBindKeepsTheCards) {
  AddNode("n1", 1);
  const model::Pod pod = PodOf("p", 60, 8);
  AddAndShow(pod);
  const StampDecision decision = Decide(pod, "n1");
  cluster_.Change(pod.key, [&](model::Pod& p) {
    p.node_name = "n1";
    p.annotations.insert(decision.annotations.begin(), decision.annotations.end());
  });
  Show(pod.key);
  clock_.Advance(seconds(60));
  EXPECT_EQ(ledger_.ReleaseExpired(), 0);
  EXPECT_TRUE(IsBound(pod));
  EXPECT_EQ(Decide(pod, "n1").outcome, Outcome::kNotOurs);
}

}  // namespace
}  // namespace aliquot::reconcile
