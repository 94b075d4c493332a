// SPDX-License-Identifier: Apache-2.0
#include "extender/bind_desk.h"

#include <chrono>

#include "tests/unit/extender/bind_fixture.h"

// Binds whose outcome is not known at once.

namespace aliquot::extender {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kNotConfirmed = "bind not confirmed yet";

class BindDeskTest : public BindFixture {
 protected:
  // A bind whose Binding got no answer, after the request was told so.
  void BindUnknown(const model::Pod& pod, const std::string& node, BindFate fate) {
    cluster_.NextBinds({fate});
    const int before = cluster_.binds();
    auto bind = BindLater(pod, node);
    ASSERT_TRUE(Eventually([&] { return cluster_.binds() == before + 1; }));
    AdvanceAndTick(seconds(4));
    ASSERT_EQ(bind.get(), kNotConfirmed);
    // The answer's loss is known by now, or will be as soon as that thread runs.
    ASSERT_EQ(desk_->pending(), 1);
  }
};

TEST_F(BindDeskTest, ASilentApiServerIsAnsweredForInTimeAndTheCardsStayReserved) {
  AddNode("n1", 1);
  const model::Pod pod = PodOf("p", 60, 8);
  AddPending(pod);
  cluster_.HoldBinds(true);
  auto bind = BindLater(pod, "n1");
  ASSERT_TRUE(Eventually([&] { return cluster_.binds() == 1; }));
  AdvanceAndTick(milliseconds(3999));
  EXPECT_EQ(bind.wait_for(milliseconds(0)), std::future_status::timeout);
  AdvanceAndTick(milliseconds(1));
  EXPECT_EQ(bind.get(), kNotConfirmed);
  EXPECT_TRUE(IsReserved(pod));
  EXPECT_EQ(CardAt("n1", 0).core_used, 60);
  EXPECT_EQ(MetricValue(metrics_, "aliquot_allocator_degraded{state=\"unconfirmed_binds\"}"), 1);
}

TEST_F(BindDeskTest, ALateAnswerStillCounts) {
  AddNode("n1", 1);
  const model::Pod pod = PodOf("p", 60, 8);
  AddPending(pod);
  cluster_.HoldBinds(true);
  auto bind = BindLater(pod, "n1");
  ASSERT_TRUE(Eventually([&] { return cluster_.binds() == 1; }));
  AdvanceAndTick(seconds(4));
  EXPECT_EQ(bind.get(), kNotConfirmed);
  cluster_.HoldBinds(false);
  ASSERT_TRUE(Eventually([&] { return desk_->pending() == 0; }));
  EXPECT_TRUE(IsBound(pod));
  EXPECT_EQ(BindNow(pod, "n1"), "");
  EXPECT_EQ(cluster_.binds(), 1);
  ASSERT_TRUE(Eventually([&] { return log_.lines().size() == 3; }));
  const auto lines = log_.lines();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "bind bound_late n1 main=0"), 1);
}

TEST_F(BindDeskTest, ASecondRequestForTheSameNodeJoinsTheFirst) {
  AddNode("n1", 1);
  const model::Pod pod = PodOf("p", 60, 8);
  AddPending(pod);
  cluster_.HoldBinds(true);
  auto first = BindLater(pod, "n1");
  ASSERT_TRUE(Eventually([&] { return cluster_.binds() == 1; }));
  auto second = BindLater(pod, "n1");
  cluster_.HoldBinds(false);
  EXPECT_EQ(first.get(), "");
  EXPECT_EQ(second.get(), "");
  EXPECT_EQ(cluster_.binds(), 1);
}

TEST_F(BindDeskTest, AJoinedRequestHasItsOwnDeadline) {
  AddNode("n1", 1);
  const model::Pod pod = PodOf("p", 60, 8);
  AddPending(pod);
  cluster_.HoldBinds(true);
  auto first = BindLater(pod, "n1");
  ASSERT_TRUE(Eventually([&] { return cluster_.binds() == 1; }));
  AdvanceAndTick(seconds(4));
  EXPECT_EQ(first.get(), kNotConfirmed);
  auto second = BindLater(pod, "n1");
  // It has 4 s from now, so only a later tick ends it.
  ASSERT_TRUE(Eventually([&] {
    AdvanceAndTick(seconds(1));
    return second.wait_for(milliseconds(0)) == std::future_status::ready;
  }));
  EXPECT_EQ(second.get(), kNotConfirmed);
  EXPECT_EQ(cluster_.binds(), 1);
  EXPECT_TRUE(IsReserved(pod));
}

TEST_F(BindDeskTest, AnotherNodeIsRefusedAtOnceWhileOneIsOnItsWay) {
  AddNode("n1", 1);
  AddNode("n2", 1);
  const model::Pod pod = PodOf("p", 60, 8);
  AddPending(pod);
  cluster_.HoldBinds(true);
  auto first = BindLater(pod, "n1");
  ASSERT_TRUE(Eventually([&] { return cluster_.binds() == 1; }));
  EXPECT_EQ(BindNow(pod, "n2"), "the pod is being bound to another node");
  EXPECT_TRUE(CardAt("n2", 0).idle());
  cluster_.HoldBinds(false);
  EXPECT_EQ(first.get(), "");
}

TEST_F(BindDeskTest, ALostAnswerIsSettledByTheWatch) {
  AddNode("n1", 1);
  const model::Pod pod = PodOf("p", 60, 8);
  AddPending(pod);
  BindUnknown(pod, "n1", BindFate::kLoseAnswer);
  EXPECT_TRUE(IsReserved(pod));
  WatchShows(pod.key);
  EXPECT_EQ(desk_->pending(), 0);
  EXPECT_TRUE(IsBound(pod));
  EXPECT_EQ(CardAt("n1", 0).core_used, 60);
  EXPECT_EQ(BindNow(pod, "n1"), "");
  EXPECT_EQ(cluster_.binds(), 1);
  EXPECT_EQ(cluster_.reads(), 0);
  AdvanceAndTick(seconds(60));
  EXPECT_EQ(MetricValue(metrics_, "aliquot_allocator_degraded{state=\"unconfirmed_binds\"}"), 0);
}

TEST_F(BindDeskTest, TheWatchMayBeFasterThanTheAnswer) {
  AddNode("n1", 1);
  const model::Pod pod = PodOf("p", 60, 8);
  AddPending(pod);
  cluster_.NextBinds({BindFate::kLoseAnswer});
  auto bind = BindLater(pod, "n1");
  ASSERT_TRUE(Eventually([&] { return !cluster_.Find(pod.key)->node_name.empty(); }));
  WatchShows(pod.key);
  EXPECT_EQ(bind.get(), "");
  EXPECT_TRUE(IsBound(pod));
}

TEST_F(BindDeskTest, ALostAnswerIsSettledByAReadTenSecondsAfterTheDeadline) {
  AddNode("n1", 1);
  const model::Pod pod = PodOf("p", 60, 8);
  AddPending(pod);
  BindUnknown(pod, "n1", BindFate::kLoseAnswer);
  AdvanceAndTick(milliseconds(9999));
  EXPECT_EQ(cluster_.reads(), 0);
  ASSERT_TRUE(Eventually([&] {
    AdvanceAndTick(milliseconds(1));
    return desk_->pending() == 0;
  }));
  EXPECT_EQ(cluster_.reads(), 1);
  EXPECT_TRUE(IsBound(pod));
}

TEST_F(BindDeskTest, ALostRequestGivesItsCardsBackOnlyAfterThatRead) {
  AddNode("n1", 1);
  const model::Pod pod = PodOf("p", 60, 8);
  AddPending(pod);
  BindUnknown(pod, "n1", BindFate::kLoseRequest);
  AdvanceAndTick(milliseconds(9999));
  EXPECT_TRUE(IsReserved(pod));
  ASSERT_TRUE(Eventually([&] {
    AdvanceAndTick(milliseconds(1));
    return desk_->pending() == 0;
  }));
  EXPECT_FALSE(ledger_.FindHold(pod.uid));
  EXPECT_TRUE(CardAt("n1", 0).idle());
  EXPECT_EQ(BindNow(pod, "n1"), "");
}

TEST_F(BindDeskTest, WhileThePodCannotBeReadTheCardsStayReserved) {
  AddNode("n1", 1);
  const model::Pod pod = PodOf("p", 60, 8);
  AddPending(pod);
  BindUnknown(pod, "n1", BindFate::kLoseRequest);
  cluster_.SetReadable(false);
  ASSERT_TRUE(Eventually([&] {
    AdvanceAndTick(seconds(10));
    return cluster_.reads() >= 2;  // it asks again and again
  }));
  EXPECT_TRUE(IsReserved(pod));
  EXPECT_EQ(desk_->pending(), 1);
  cluster_.SetReadable(true);
  ASSERT_TRUE(Eventually([&] {
    AdvanceAndTick(seconds(10));
    return desk_->pending() == 0;
  }));
  EXPECT_FALSE(ledger_.FindHold(pod.uid));
}

TEST_F(BindDeskTest, APodThatIsGoneGivesItsCardsBackBeforeAnyRead) {
  AddNode("n1", 1);
  const model::Pod pod = PodOf("p", 60, 8);
  AddPending(pod);
  BindUnknown(pod, "n1", BindFate::kLoseRequest);
  cluster_.DeletePod(pod.key);
  ledger_.RemovePod(pod.uid);
  desk_->PodGone(pod.uid);
  EXPECT_EQ(desk_->pending(), 0);
  EXPECT_TRUE(CardAt("n1", 0).idle());
  EXPECT_EQ(cluster_.reads(), 0);
}

TEST_F(BindDeskTest, TheWatchShowingItElsewhereEndsTheBind) {
  AddNode("n1", 1);
  AddNode("n2", 1);
  const model::Pod pod = PodOf("p", 60, 8);
  AddPending(pod);
  BindUnknown(pod, "n1", BindFate::kLoseRequest);
  cluster_.Change(pod.key, [](model::Pod& p) { p.node_name = "n2"; });
  WatchShows(pod.key);
  EXPECT_EQ(desk_->pending(), 0);
  EXPECT_TRUE(CardAt("n1", 0).idle());
}

TEST_F(BindDeskTest, ABindingThatWaitedPastItsDeadlineIsNeverSent) {
  MakeDesk(1);
  AddNode("n1", 2);
  const model::Pod first = PodOf("p1", 60, 8);
  const model::Pod second = PodOf("p2", 60, 8);
  AddPending(first);
  AddPending(second);
  cluster_.HoldBinds(true);
  auto one = BindLater(first, "n1");
  ASSERT_TRUE(Eventually([&] { return cluster_.binds() == 1; }));
  auto two = BindLater(second, "n1");
  ASSERT_TRUE(Eventually([&] { return IsReserved(second) && desk_->pending() == 2; }));
  // Its handler may be a step before the queue: tick until both are answered.
  ASSERT_TRUE(Eventually([&] {
    AdvanceAndTick(seconds(4));
    return two.wait_for(milliseconds(0)) == std::future_status::ready;
  }));
  EXPECT_NE(two.get(), "");
  EXPECT_EQ(one.get(), kNotConfirmed);
  ASSERT_TRUE(Eventually([&] {
    desk_->Tick();
    return !ledger_.FindHold(second.uid).has_value();
  }));
  cluster_.HoldBinds(false);
  ASSERT_TRUE(Eventually([&] { return desk_->pending() == 0; }));
  EXPECT_EQ(cluster_.binds(), 1);
  EXPECT_TRUE(cluster_.Find(second.key)->node_name.empty());
  EXPECT_TRUE(IsBound(first));
}

TEST_F(BindDeskTest, AHangingReadOfAnUnknownPodHoldsNoRequest) {
  AddNode("n1", 1);
  const model::Pod pod = PodOf("p", 60, 8);
  cluster_.AddPod(pod);
  cluster_.HoldReads(true);
  auto bind = BindLater(pod, "n1");
  ASSERT_TRUE(Eventually([&] { return cluster_.reads() == 1; }));
  AdvanceAndTick(seconds(4));
  EXPECT_EQ(bind.get(), kNotConfirmed);
  EXPECT_FALSE(ledger_.FindHold(pod.uid));
  cluster_.HoldReads(false);
  ASSERT_TRUE(Eventually([&] { return desk_->pending() == 0; }));
  // Too late to send it: nothing was written and nothing stays reserved.
  EXPECT_EQ(cluster_.binds(), 0);
  EXPECT_FALSE(ledger_.FindHold(pod.uid));
}

}  // namespace
}  // namespace aliquot::extender
