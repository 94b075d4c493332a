// SPDX-License-Identifier: Apache-2.0
#include "reconcile/requeue.h"

#include <gtest/gtest.h>

#include "tests/unit/reconcile/reconcile_fixture.h"

namespace aliquot::reconcile {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// One node of one card, held by `first`; `waits` was refused by filter.
class RequeueTest : public ReconcileFixture {
 protected:
  void SetUp() override {
    ledger_.OnRoom([this](std::string_view node) { requeue_.RoomMade(node); });
    observer_.NodeSeen(NodeOf("n", 1));
    AddAndShow(first_);
    AddAndShow(waits_);
  }
  void Refuse() { pending_.Refused(waits_.uid, clock_.SteadyNow()); }
  void EndFirst() {
    cluster_.DeletePod(first_.key);
    model::Pod last = first_;
    last.deleting = true;
    observer_.PodGone(last);
  }
  bool Requeued() const {
    return cluster_.Find(waits_.key)->Annotation(model::kRequeuedAnnotation) != nullptr;
  }

  model::Pod first_ = BoundByUs(PodOf("first", 60, 15), "n", 60, 3840);
  model::Pod waits_ = PodOf("waits", 50, 15);
  Requeue requeue_{ledger_, pending_, placer_, cluster_, queue_, clock_, text_log_};
};

TEST_F(RequeueTest, APodRefusedJustBeforeRoomWasMadeIsWokenOnce) {
  Refuse();
  EndFirst();
  WorkAfter(milliseconds(100));
  EXPECT_FALSE(Requeued());  // kube-scheduler may still come by itself
  WorkAfter(seconds(1));
  EXPECT_TRUE(Requeued());
  WorkAfter(seconds(60));
  EXPECT_EQ(cluster_.patches(), 1);
}

TEST_F(RequeueTest, APodAskedAboutSinceIsLeftAlone) {
  Refuse();
  EndFirst();
  clock_.Advance(milliseconds(10));
  Refuse();  // for another reason than the room on this node
  WorkAfter(seconds(1));
  EXPECT_FALSE(Requeued());
}

TEST_F(RequeueTest, APodThatFilterFoundRoomForIsLeftAlone) {
  Refuse();
  EndFirst();
  pending_.Fitted(waits_.uid);
  WorkAfter(seconds(1));
  EXPECT_FALSE(Requeued());
}

TEST_F(RequeueTest, ALongRefusedPodIsLeftToKubeScheduler) {
  Refuse();
  clock_.Advance(seconds(6));
  EndFirst();
  WorkAfter(seconds(1));
  EXPECT_FALSE(Requeued());
}

TEST_F(RequeueTest, RoomThatIsTakenAgainWakesNobody) {
  Refuse();
  EndFirst();
  AddAndShow(BoundByUs(PodOf("quick", 60, 15), "n", 60, 3840));
  WorkAfter(seconds(1));
  EXPECT_FALSE(Requeued());
}

TEST_F(RequeueTest, AReservationThatEndsIsRoomToo) {
  EndFirst();
  ledger::CommitRequest request = RequestFor(PodOf("other", 60, 15), "n");
  request.expires = clock_.SteadyNow() + seconds(15);
  ASSERT_EQ(ledger_.Commit(request).outcome, ledger::CommitOutcome::kReserved);
  clock_.Advance(seconds(14));
  Refuse();
  clock_.Advance(seconds(2));
  EXPECT_EQ(ledger_.ReleaseExpired(), 1);
  WorkAfter(seconds(1));
  EXPECT_TRUE(Requeued());
}

TEST_F(RequeueTest, ANodeThatBringsItsCardsIsRoom) {
  Refuse();
  observer_.NodeSeen(NodeOf("new", 1));
  WorkAfter(seconds(1));
  EXPECT_TRUE(Requeued());
}

}  // namespace
}  // namespace aliquot::reconcile
