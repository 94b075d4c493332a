// SPDX-License-Identifier: Apache-2.0
#include "agent/identity/resolver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/agent/identity/resolver_fixture.h"

namespace aliquot::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_F(ResolverTest, TheCheckpointNamesUidAndContainerAndPodResourcesConfirms) {
  NodePod pod = MakePod("p1", "u1", {Share("a", 20), Share("b", 20)});
  pod.pod.deleting = true;
  view_.Show(pod);
  view_.Show(MakePod("p2", "u2", {Share("a", 20)}));
  Entry("u2", "a", Ids(0, 20));
  Entry("u1", "a", Ids(20, 20));
  Entry("u1", "b", Ids(40, 20));
  pod_resources_.List("p1", "a", Ids(20, 20));
  pod_resources_.List("p1", "b", Ids(40, 20));
  EXPECT_EQ(Resolve(Ids(40, 20)), "p1/b");
  EXPECT_EQ(last_.uid, "u1");
  EXPECT_EQ(last_.kind, model::ContainerKind::kApp);
  EXPECT_EQ(last_.core, 20);
  EXPECT_EQ(last_.memory_units, 4);
  EXPECT_FALSE(last_.whole);
  EXPECT_TRUE(last_.deleting);
  EXPECT_FALSE(last_.recalled);
  EXPECT_EQ(last_.allocation, "record of u1");
  EXPECT_EQ(last_.signature, "k:s");
  EXPECT_EQ(checkpoint_.reads, 1);
  EXPECT_THAT(pod_resources_.asked, ElementsAre("p1"));
  EXPECT_EQ(pod_resources_.lists, 0);
  EXPECT_EQ(took_, milliseconds(0));
}

TEST_F(ResolverTest, WholeCardsAreRecognised) {
  view_.Show(MakePod("p1", "u1", {Share("a", 200)}));
  Entry("u1", "a", Ids(0, 200));
  EXPECT_EQ(Resolve(Ids(0, 200)), "p1/a");
  EXPECT_TRUE(last_.whole);
  EXPECT_EQ(last_.core, 200);
}

TEST_F(ResolverTest, RefusesIdsThatCannotBeASet) {
  EXPECT_EQ(Resolve({}), "size_mismatch");
  EXPECT_EQ(Resolve({"c1", "c2", "c1"}), "size_mismatch");
  EXPECT_EQ(sentence_,
            "the kubelet names device ID c1 twice for this container; delete the pod, so that its "
            "devices are given anew");
}

TEST_F(ResolverTest, RefusesIdsThatNobodyHas) {
  view_.Show(MakePod("p1", "u1", {Share("a", 20)}));
  Entry("u1", "a", Ids(0, 20));
  EXPECT_EQ(Resolve({"never", "advertised"}), "wrong_pod");
  EXPECT_EQ(sentence_,
            "no pod of node n1 holds these 2 device IDs (advertised to never); delete the pod, so "
            "that its devices are given anew");
}

TEST_F(ResolverTest, RefusesIdsOfTwoLivePodsUntilOneIsGone) {
  view_.Show(MakePod("p1", "u1", {Share("a", 20)}));
  view_.Show(MakePod("p2", "u2", {Share("a", 20)}));
  Entry("u1", "a", Ids(0, 20));
  Entry("u2", "a", Ids(0, 20));
  EXPECT_EQ(Resolve(Ids(0, 20)), "ids_in_use");
  EXPECT_EQ(sentence_,
            "the kubelet gave the same device IDs to pod default/p1 and to pod default/p2; delete "
            "all of them but one, or wait until they are gone");
  view_.Remove("u1");
  checkpoint_.content.entries.erase(checkpoint_.content.entries.begin());
  EXPECT_EQ(Resolve(Ids(0, 20)), "p2/a");
}

TEST_F(ResolverTest, APodThatHasEndedStartsNothing) {
  NodePod pod = MakePod("p1", "u1", {Share("a", 20)});
  pod.pod.phase = model::PodPhase::kSucceeded;
  view_.Show(pod);
  Entry("u1", "a", Ids(0, 20));
  EXPECT_EQ(Resolve(Ids(0, 20)), "wrong_pod");
}

TEST_F(ResolverTest, WaitsForAPodThatTheWatchHasNotShownYet) {
  Entry("u1", "a", Ids(0, 20));
  view_.After(milliseconds(300), [&] { view_.Show(MakePod("p0", "u0", {Share("a", 20)})); });
  view_.After(milliseconds(700), [&] { view_.Show(MakePod("p1", "u1", {Share("a", 20)})); });
  EXPECT_EQ(Resolve(Ids(0, 20)), "p1/a");
  EXPECT_EQ(took_, milliseconds(700));
  EXPECT_EQ(checkpoint_.reads, 1);
}

TEST_F(ResolverTest, RefusesAPodThatIsNotShownInTime) {
  Entry("u1", "a", Ids(0, 20));
  view_.After(milliseconds(2100), [&] { view_.Show(MakePod("p1", "u1", {Share("a", 20)})); });
  EXPECT_EQ(Resolve(Ids(0, 20)), "not_synced");
  EXPECT_EQ(took_, milliseconds(2000));
}

TEST_F(ResolverTest, APodCreatedAnewUnderTheSameNameIsNotTheOldOne) {
  view_.Show(MakePod("p1", "old", {Share("a", 20)}));
  Entry("old", "a", Ids(0, 20));  // stale
  Entry("new", "a", Ids(20, 20));
  pod_resources_.List("p1", "a", Ids(20, 20));
  view_.After(milliseconds(100), [&] {
    view_.Remove("old");
    view_.Show(MakePod("p1", "new", {Share("a", 20)}));
  });
  EXPECT_EQ(Resolve(Ids(20, 20)), "p1/a");
  EXPECT_EQ(last_.uid, "new");
}

TEST_F(ResolverTest, WaitsForTheRecordOfAPodThatAnotherSchedulerBound) {
  NodePod pod = MakePod("p1", "u1", {Share("a", 20)});
  const NodePod stamped = pod;
  pod.pod.annotations.clear();
  view_.Show(pod);
  Entry("u1", "a", Ids(0, 20));
  view_.After(milliseconds(500), [&] { view_.Show(stamped); });
  EXPECT_EQ(Resolve(Ids(0, 20)), "p1/a");
  EXPECT_EQ(last_.allocation, "record of u1");
  view_.Show(pod);
  EXPECT_EQ(Resolve(Ids(0, 20)), "p1/a") << "who judges grants says why there is none";
  EXPECT_EQ(last_.allocation, "");
  EXPECT_EQ(took_, milliseconds(2000));
}

TEST_F(ResolverTest, PodResourcesMayContradict) {
  view_.Show(MakePod("p1", "u1", {Share("a", 20)}));
  Entry("u1", "a", Ids(0, 20));
  pod_resources_.List("p1", "a", Ids(20, 20));
  EXPECT_EQ(Resolve(Ids(0, 20)), "wrong_pod");
  EXPECT_EQ(sentence_,
            "the kubelet's PodResources gives container a of pod default/p1 other device IDs than "
            "its checkpoint does; delete the pod if this lasts");
}

TEST_F(ResolverTest, TheCheckpointAloneDoesWherePodResourcesCannotAnswer) {
  view_.Show(MakePod("p1", "u1", {Share("a", 20)}));
  Entry("u1", "a", Ids(0, 20));
  for (const StatusCode code : {StatusCode::kUnimplemented, StatusCode::kNotFound,
                                StatusCode::kResourceExhausted, StatusCode::kUnavailable}) {
    pod_resources_.problem = Status(code, "no");
    EXPECT_EQ(Resolve(Ids(0, 20)), "p1/a");
  }
  EXPECT_EQ(pod_resources_.lists, 0);
  pod_resources_.never_answers = true;
  EXPECT_EQ(Resolve(Ids(0, 20)), "p1/a");
  EXPECT_EQ(took_, seconds(2));
}

TEST_F(ResolverTest, AnInitContainerIsNotAskedAbout) {
  view_.Show(MakePod("p1", "u1", {Init("i", 40), Share("a", 20)}));
  Entry("u1", "i", Ids(0, 40));
  Entry("u1", "a", Ids(0, 20));
  pod_resources_.List("p1", "a", Ids(0, 20));
  EXPECT_EQ(Resolve(Ids(0, 40)), "p1/i");
  EXPECT_EQ(last_.kind, model::ContainerKind::kInit);
  EXPECT_THAT(pod_resources_.asked, IsEmpty());
}

// i1, i2 and a have the same 20 IDs; each status comes after the next start.
TEST_F(ResolverTest, ContainersWithTheSameIdsAreToldApartByTheStatus) {
  NodePod pod = MakePod("p1", "u1", {Init("i1", 20), Init("i2", 20), Share("a", 20)});
  view_.Show(pod);
  for (const char* name : {"i1", "i2", "a"}) Entry("u1", name, Ids(0, 20));
  EXPECT_EQ(Resolve(Ids(0, 20)), "p1/i1");
  EXPECT_EQ(took_, milliseconds(0));
  const auto show_after = [&](int delay, std::vector<ContainerStatus> statuses) {
    pod.statuses = std::move(statuses);
    view_.After(milliseconds(delay), [this, pod] { view_.Show(pod); });
  };
  show_after(40, {Waiting("i1", "PodInitializing")});
  show_after(80, {Running("i1")});
  show_after(120, {Ended("i1", 0)});
  EXPECT_EQ(Resolve(Ids(0, 20)), "p1/i2");
  EXPECT_EQ(took_, milliseconds(120));
  EXPECT_EQ(Resolve(Ids(0, 20)), "not_synced") << "nothing is shown of i2";
  EXPECT_EQ(sentence_,
            "the status of pod default/p1 does not show yet whether init container i2 is done, "
            "which has the same device IDs as the next one; the container starts once it does");
  show_after(10, {Ended("i1", 0), Ended("i2", 0)});
  EXPECT_EQ(Resolve(Ids(0, 20)), "p1/a");
  EXPECT_EQ(took_, milliseconds(2000)) << "asked again, it might begin anew";
}

TEST_F(ResolverTest, ARefusedInitContainerIsTheOneThatStartsAgain) {
  view_.Show(MakePod("p1", "u1", {Init("i", 20), Share("a", 20)}));
  Entry("u1", "i", Ids(0, 20));
  Entry("u1", "a", Ids(0, 20));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Resolve(Ids(0, 20)), "p1/i");
    EXPECT_EQ(took_, milliseconds(0));
    grants_.filled.clear();  // judged and refused
  }
}

TEST_F(ResolverTest, AnAgentThatCameLaterDoesNotTakeAnOldStatusForAFreshOne) {
  NodePod pod = MakePod("p1", "u1", {Init("i", 20), Share("a", 20)});
  view_.Show(pod);
  Entry("u1", "i", Ids(0, 20));
  Entry("u1", "a", Ids(0, 20));
  EXPECT_EQ(Resolve(Ids(0, 20)), "p1/i");
  Restart();
  EXPECT_EQ(Resolve(Ids(0, 20)), "not_synced");
  pod.statuses = {Ended("i", 0)};
  view_.Show(pod);
  EXPECT_EQ(Resolve(Ids(0, 20)), "p1/a");
}

TEST_F(ResolverTest, ARestartOfTheAppContainerThatSharesIdsStartsWithoutNewsAfterAMoment) {
  NodePod pod = MakePod("p1", "u1", {Init("i", 20), Share("a", 20)});
  pod.statuses = {Ended("i", 0), Running("a")};
  view_.Show(pod);
  Entry("u1", "i", Ids(0, 20));
  Entry("u1", "a", Ids(0, 20));
  EXPECT_EQ(Resolve(Ids(0, 20)), "p1/a");
  EXPECT_EQ(took_, milliseconds(2000));
  pod.without_sandbox = true;
  view_.After(milliseconds(50), [&] { view_.Show(pod); });
  EXPECT_EQ(Resolve(Ids(0, 20)), "p1/i");
}

TEST_F(ResolverTest, OneContainerRestartsTenTimesWithoutWaiting) {
  NodePod pod = MakePod("p1", "u1", {Share("a", 20)});
  pod.statuses = {Running("a")};
  view_.Show(pod);
  Entry("u1", "a", Ids(0, 20));
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(Resolve(Ids(0, 20)), "p1/a");
    EXPECT_EQ(took_, milliseconds(0));
  }
}

TEST_F(ResolverTest, AContainerOutsideOurResourcesIsRefusedWithTheRemedy) {
  view_.Show(MakePod("p1", "u1", {Share("a", 20)}));
  Entry("u1", "b", Ids(0, 20));
  EXPECT_EQ(Resolve(Ids(0, 20)), "wrong_pod");
  EXPECT_EQ(
      sentence_,
      "the kubelet gave these device IDs to a container of pod default/p1 that does not ask "
      "for tencent.com/vcuda-core; give kubelet, allocator and agent the same resource names");
}

// The API server is away and the agent restarted.
class RecallTest : public ResolverTest {
 protected:
  RecallTest() {
    view_.SetSynced(false);
    Entry("u1", "a", Ids(0, 20));
    ContainerIdentity before;
    before.key = {"default", "p1"};
    before.uid = "u1";
    before.container = "a";
    before.core = 20;
    before.allocation = "as written";
    grants_.filled[GrantName(Ids(0, 20))] = before;
  }
};

TEST_F(RecallTest, AContainerThatWasFilledBeforeStartsAgain) {
  EXPECT_EQ(Resolve(Ids(0, 20)), "p1/a");
  EXPECT_TRUE(last_.recalled);
  EXPECT_EQ(last_.allocation, "as written");
  EXPECT_EQ(took_, milliseconds(2000)) << "first the API server has its moment";
}

TEST_F(RecallTest, WhatTheApiServerSaysMeanwhileCounts) {
  view_.After(milliseconds(200), [&] {
    view_.Show(MakePod("p1", "u1", {Share("a", 20)}));
    view_.SetSynced(true);
  });
  EXPECT_EQ(Resolve(Ids(0, 20)), "p1/a");
  EXPECT_FALSE(last_.recalled);
  EXPECT_EQ(last_.allocation, "record of u1");
}

TEST_F(RecallTest, OthersWait) {
  EXPECT_EQ(Resolve(Ids(20, 20)), "not_synced");
  EXPECT_EQ(sentence_,
            "the pods of node n1 are not known yet; the container starts once the API server "
            "answers the agent");
}

TEST_F(RecallTest, NotWhenTheCheckpointNamesAnotherPodOrContainer) {
  checkpoint_.content.entries = {{"u2", "a", Ids(0, 20)}};
  EXPECT_EQ(Resolve(Ids(0, 20)), "not_synced");
  checkpoint_.content.entries = {{"u1", "b", Ids(0, 20)}};
  EXPECT_EQ(Resolve(Ids(0, 20)), "not_synced");
  checkpoint_.content.entries = {{"u1", "a", Ids(0, 20)}, {"u2", "a", Ids(0, 20)}};
  EXPECT_EQ(Resolve(Ids(0, 20)), "not_synced");
  checkpoint_.content.entries.clear();
  EXPECT_EQ(Resolve(Ids(0, 20)), "not_synced");
}

TEST_F(RecallTest, NotWithoutTheCheckpoint) {
  checkpoint_.problem = Unavailable("the kubelet's checkpoint cannot be read");
  EXPECT_EQ(Resolve(Ids(0, 20)), "not_synced");
}

// Should the pod have lost its sandbox, its init container starts and not the one that had them
// last.
TEST_F(RecallTest, ContainersThatShareIdsWaitForTheStatusOfThePod) {
  Entry("u1", "i", Ids(0, 20));
  EXPECT_EQ(Resolve(Ids(0, 20)), "not_synced");
}

TEST_F(RecallTest, PodResourcesMayContradictHereToo) {
  pod_resources_.List("p1", "a", Ids(20, 20));
  EXPECT_EQ(Resolve(Ids(0, 20)), "wrong_pod");
}

}  // namespace
}  // namespace aliquot::agent
