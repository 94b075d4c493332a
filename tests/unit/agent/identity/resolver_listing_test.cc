// SPDX-License-Identifier: Apache-2.0
// The resolver where the kubelet's checkpoint cannot be read.
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
using ::testing::SizeIs;

class ResolverListingTest : public ResolverTest {
 protected:
  ResolverListingTest() {
    checkpoint_.problem = Unavailable("the kubelet's checkpoint /x is not JSON");
  }
  // Pods p0 .. p(count-1), each with 20 IDs from 20 times its number on.
  void ShowEqualPods(int count) {
    for (int i = 0; i < count; ++i) {
      const std::string number = std::to_string(i);
      view_.Show(MakePod("p" + number, "u" + number, {Share("a", 20)}));
      pod_resources_.List("p" + number, "a", Ids(20 * i, 20));
    }
  }
};

TEST_F(ResolverListingTest, APodThatPodResourcesConfirmsIsFound) {
  ShowEqualPods(3);
  EXPECT_EQ(Resolve(Ids(20, 20)), "p1/a");
  EXPECT_EQ(last_.uid, "u1");
  EXPECT_EQ(pod_resources_.lists, 0);
}

TEST_F(ResolverListingTest, AtMostFourAreAskedAboutAndOthersTheNextTime) {
  ShowEqualPods(10);
  EXPECT_EQ(Resolve(Ids(20 * 9, 20)), "not_synced");
  EXPECT_THAT(pod_resources_.asked, ElementsAre("p0", "p1", "p2", "p3"));
  EXPECT_EQ(sentence_,
            "the kubelet's checkpoint /x is not JSON, and its PodResources does not show which pod "
            "of node n1 holds these device IDs");
  EXPECT_EQ(Resolve(Ids(20 * 9, 20)), "not_synced");
  EXPECT_EQ(Resolve(Ids(20 * 9, 20)), "p9/a");
  EXPECT_THAT(pod_resources_.asked, SizeIs(10));
}

TEST_F(ResolverListingTest, TheOneThatHadTheGrantIsAskedAboutFirst) {
  ShowEqualPods(10);
  ContainerIdentity before;
  before.uid = "u9";
  before.container = "a";
  grants_.filled[GrantName(Ids(20 * 9, 20))] = before;
  EXPECT_EQ(Resolve(Ids(20 * 9, 20)), "p9/a");
  EXPECT_THAT(pod_resources_.asked, ElementsAre("p9"));
}

TEST_F(ResolverListingTest, OneListWhereThereIsNoGet) {
  ShowEqualPods(10);
  pod_resources_.problem = Status(StatusCode::kUnimplemented, "Get is switched off");
  EXPECT_EQ(Resolve(Ids(20 * 9, 20)), "p9/a");
  EXPECT_THAT(pod_resources_.asked, SizeIs(1));
  EXPECT_EQ(pod_resources_.lists, 1);
}

TEST_F(ResolverListingTest, APodThatTheKubeletHasNotAcknowledgedIsWaitedFor) {
  NodePod pod = MakePod("p1", "new", {Share("a", 20)});
  pod.acknowledged = false;
  view_.Show(pod);
  pod_resources_.List("p1", "a", Ids(0, 20));
  pod.acknowledged = true;
  view_.After(milliseconds(400), [&] { view_.Show(pod); });
  EXPECT_EQ(Resolve(Ids(0, 20)), "p1/a");
  EXPECT_EQ(took_, milliseconds(2000));
}

// PodResources gives no UID: what it says of the name may be of the pod that has come since.
TEST_F(ResolverListingTest, APodThatIsReplacedUnderItsNameMeanwhileIsNotTheOne) {
  view_.Show(MakePod("p1", "old", {Share("a", 20)}));
  pod_resources_.List("p1", "a", Ids(0, 20));
  view_.After(milliseconds(1500), [&] {
    view_.Remove("old");
    view_.Show(MakePod("p1", "new", {Share("a", 20)}));
  });
  EXPECT_EQ(Resolve(Ids(0, 20)), "p1/a");
  EXPECT_EQ(last_.uid, "new");
}

TEST_F(ResolverListingTest, AnInitContainerIsFoundByTheIdsItHandedOn) {
  view_.Show(MakePod("p1", "u1", {Init("i", 12), Sidecar("s", 6), Share("a", 6)}));
  pod_resources_.List("p1", "s", Ids(10, 6));
  pod_resources_.List("p1", "a", Ids(16, 6));
  EXPECT_EQ(Resolve(Ids(10, 12)), "p1/i");
  EXPECT_EQ(Resolve(Ids(16, 6)), "p1/a");
}

TEST_F(ResolverListingTest, ContainersThatMayShareIdsAreNotToldApart) {
  view_.Show(MakePod("p1", "u1", {Init("i", 6), Share("a", 6)}));
  pod_resources_.List("p1", "a", Ids(0, 6));
  EXPECT_EQ(Resolve(Ids(0, 6)), "not_synced");
  EXPECT_EQ(sentence_,
            "the kubelet's checkpoint does not tell which container of pod default/p1 starts, and "
            "an init container may have the same device IDs as others; the container starts once "
            "the checkpoint can be read");
}

TEST_F(ResolverListingTest, SlowPodResourcesAreGivenUpInTime) {
  ShowEqualPods(10);
  pod_resources_.never_answers = true;
  EXPECT_EQ(Resolve(Ids(0, 20)), "not_synced");
  EXPECT_EQ(took_, seconds(8));  // four calls of 2 s
}

TEST_F(ResolverListingTest, ACheckpointThatNamesNobodyIsAskedBeyond) {
  checkpoint_.problem = Status::Ok();
  ShowEqualPods(2);
  EXPECT_EQ(Resolve(Ids(20, 20)), "p1/a");
}

}  // namespace
}  // namespace aliquot::agent
