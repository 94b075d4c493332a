// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/ledger/ledger_fixture.h"

namespace aliquot::ledger {
namespace {

class CommitTest : public LedgerFixture {};

TEST_F(CommitTest, ReservesTheShareAndSaysWhichCard) {
  ledger_.SetNode(NodeOf("n1", 2));
  const CommitResult result = Commit(PodOf("a", 20, 15), "n1");
  ASSERT_EQ(result.outcome, CommitOutcome::kReserved);
  ASSERT_EQ(result.allocation.containers.size(), 1u);
  EXPECT_EQ(result.allocation.containers[0].name, "main");
  EXPECT_EQ(result.allocation.containers[0].cards[0].uuid, "GPU-n1-0");
  EXPECT_EQ(result.allocation.containers[0].cards[0].core, 20);
  EXPECT_EQ(result.allocation.containers[0].cards[0].mib, 15 * 256);
  EXPECT_EQ(result.minors, (std::vector<std::vector<int>>{{0}}));
  EXPECT_EQ(CardAt("n1", 0).core_used, 20);
  EXPECT_EQ(CardAt("n1", 0).mib_used, 3840);
  EXPECT_EQ(CardAt("n1", 0).pods, 1);
}

TEST_F(CommitTest, IsIdempotentPerUid) {
  ledger_.SetNode(NodeOf("n1", 2));
  const CommitResult first = Commit(PodOf("a", 20, 15), "n1");
  const CommitResult again = Commit(PodOf("a", 20, 15), "n1");
  EXPECT_EQ(again.outcome, CommitOutcome::kAlreadyHeld);
  EXPECT_FALSE(again.bound);
  EXPECT_EQ(again.allocation.containers[0].cards[0].uuid,
            first.allocation.containers[0].cards[0].uuid);
  EXPECT_EQ(again.minors, first.minors);
  EXPECT_EQ(CardAt("n1", 0).core_used, 20);
}

TEST_F(CommitTest, RefusesAnotherNodeForAUidThatHolds) {
  ledger_.SetNode(NodeOf("n1", 1));
  ledger_.SetNode(NodeOf("n2", 1));
  ASSERT_EQ(Commit(PodOf("a", 20, 15), "n1").outcome, CommitOutcome::kReserved);
  const CommitResult other = Commit(PodOf("a", 20, 15), "n2");
  EXPECT_EQ(other.outcome, CommitOutcome::kHeldElsewhere);
  EXPECT_EQ(other.node, "n1");
  EXPECT_EQ(CardAt("n2", 0).core_used, 0);
}

TEST_F(CommitTest, ARefusalReservesNothing) {
  ledger_.SetNode(NodeOf("n1", 1));
  EXPECT_EQ(Commit(PodOf("big", 200, 0), "n1").refusal, scoring::Refusal::kTooFewCards);
  EXPECT_EQ(Commit(PodOf("a", 20, 15), "nowhere").refusal, scoring::Refusal::kUnknownNode);
  EXPECT_EQ(CardAt("n1", 0).core_used, 0);
  EXPECT_FALSE(ledger_.FindHold("uid-big").has_value());
  // The UID is free to try again.
  EXPECT_EQ(Commit(PodOf("a", 20, 15), "n1").outcome, CommitOutcome::kReserved);
}

TEST_F(CommitTest, ReleasingTwiceIsHarmless) {
  ledger_.SetNode(NodeOf("n1", 1));
  ASSERT_EQ(Commit(PodOf("a", 20, 15), "n1").outcome, CommitOutcome::kReserved);
  ledger_.Release("uid-a");
  ledger_.Release("uid-a");
  EXPECT_EQ(CardAt("n1", 0).core_used, 0);
  EXPECT_EQ(CardAt("n1", 0).pods, 0);
}

TEST_F(CommitTest, ReleaseNeverTouchesABoundHold) {
  ledger_.SetNode(NodeOf("n1", 1));
  ASSERT_EQ(Commit(PodOf("a", 20, 15), "n1").outcome, CommitOutcome::kReserved);
  ledger_.Confirm("uid-a");
  ledger_.Release("uid-a");
  EXPECT_EQ(CardAt("n1", 0).core_used, 20);
  EXPECT_TRUE(ledger_.RemovePod("uid-a"));
  EXPECT_FALSE(ledger_.RemovePod("uid-a"));
  EXPECT_EQ(CardAt("n1", 0).core_used, 0);
}

TEST_F(CommitTest, AReservationWithATimeEndsByItselfUnlessConfirmed) {
  ledger_.SetNode(NodeOf("n1", 2));
  CommitRequest lost = RequestFor(PodOf("lost", 20, 15), "n1");
  lost.expires = clock_.SteadyNow() + std::chrono::seconds(15);
  CommitRequest kept = RequestFor(PodOf("kept", 30, 15), "n1");
  kept.expires = lost.expires;
  ASSERT_EQ(ledger_.Commit(lost).outcome, CommitOutcome::kReserved);
  ASSERT_EQ(ledger_.Commit(kept).outcome, CommitOutcome::kReserved);
  ledger_.Confirm("uid-kept");
  clock_.Advance(std::chrono::seconds(14));
  EXPECT_EQ(ledger_.ReleaseExpired(), 0);
  clock_.Advance(std::chrono::seconds(1));
  EXPECT_EQ(ledger_.ReleaseExpired(), 1);
  EXPECT_EQ(CardAt("n1", 0).core_used, 30);
}

TEST_F(CommitTest, ABindThatJoinsATimedReservationKeepsItUntilItCanSettle) {
  ledger_.SetNode(NodeOf("n1", 1));
  CommitRequest stamp = RequestFor(PodOf("a", 20, 15), "n1");
  stamp.expires = clock_.SteadyNow() + std::chrono::seconds(15);
  ASSERT_EQ(ledger_.Commit(stamp).outcome, CommitOutcome::kReserved);
  clock_.Advance(std::chrono::seconds(14));
  ASSERT_EQ(Commit(PodOf("a", 20, 15), "n1").outcome, CommitOutcome::kAlreadyHeld);
  clock_.Advance(std::chrono::seconds(20));
  EXPECT_EQ(ledger_.ReleaseExpired(), 0);
  clock_.Advance(kJoinedFor);
  EXPECT_EQ(ledger_.ReleaseExpired(), 1);  // and yet it ends by itself
}

TEST_F(CommitTest, EveryChangeGivesANewGenerationAndNoChangeGivesNone) {
  ledger_.SetNode(NodeOf("n1", 1));
  const auto before = ledger_.generation();
  ASSERT_EQ(Commit(PodOf("a", 20, 15), "n1").outcome, CommitOutcome::kReserved);
  const auto after = ledger_.generation();
  EXPECT_GT(after, before);
  ledger_.SetNode(NodeOf("n1", 1));  // a heartbeat: the same node again
  EXPECT_EQ(ledger_.generation(), after);
}

}  // namespace
}  // namespace aliquot::ledger
