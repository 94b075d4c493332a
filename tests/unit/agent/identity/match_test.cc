// SPDX-License-Identifier: Apache-2.0
#include "agent/identity/match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/agent/identity/identity_fakes.h"

namespace aliquot::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class MatchTest : public ::testing::Test {
 protected:
  Match Find(const std::vector<std::string>& ids) {
    snapshot_ = view_.Snapshot();
    return MatchCheckpoint(ids, checkpoint_, snapshot_);
  }
  void Entry(const std::string& uid, const std::string& container, std::vector<std::string> ids) {
    checkpoint_.entries.push_back({uid, container, std::move(ids)});
  }

  FakeClock clock_;
  FakePodView view_{clock_};
  Checkpoint checkpoint_;
  PodsSnapshot snapshot_;
};

TEST_F(MatchTest, TheExactSetNamesPodAndContainer) {
  view_.Show(MakePod("p1", "u1", {Share("a", 20)}));
  view_.Show(MakePod("p2", "u2", {Share("a", 20)}));
  Entry("u2", "a", Ids(20, 20));
  Entry("u1", "a", Ids(0, 20));
  const Match match = Find(Ids(0, 20));
  ASSERT_EQ(match.kind, Match::Kind::kPod);
  EXPECT_EQ(match.pods[0]->pod.key.name, "p1");
  EXPECT_THAT(match.containers, ElementsAre("a"));
}

TEST_F(MatchTest, APartOfASetNamesNobody) {
  view_.Show(MakePod("p1", "u1", {Share("a", 20)}));
  Entry("u1", "a", Ids(0, 20));
  EXPECT_EQ(Find(Ids(0, 19)).kind, Match::Kind::kNobody);
  EXPECT_EQ(Find(Ids(0, 21)).kind, Match::Kind::kNobody);
}

// The kubelet hands the IDs of an ordinary init container on: "i" and "a" have the same.
TEST_F(MatchTest, ContainersOfOneSetComeInTheOrderOfTheirStarts) {
  view_.Show(MakePod("p1", "u1", {Init("z", 20), Sidecar("s", 5), Init("i", 20), Share("a", 20)}));
  Entry("u1", "a", Ids(0, 20));
  Entry("u1", "i", Ids(0, 20));
  Entry("u1", "s", Ids(20, 5));
  Entry("u1", "z", Ids(0, 20));
  EXPECT_THAT(Find(Ids(0, 20)).containers, ElementsAre("z", "i", "a"));
  EXPECT_THAT(Find(Ids(20, 5)).containers, ElementsAre("s"));
}

TEST_F(MatchTest, AnEntryNamedTwiceIsOne) {
  view_.Show(MakePod("p1", "u1", {Share("a", 20)}));
  Entry("u1", "a", Ids(0, 20));
  Entry("u1", "a", Ids(0, 20));
  const Match match = Find(Ids(0, 20));
  EXPECT_EQ(match.kind, Match::Kind::kPod);
  EXPECT_THAT(match.containers, ElementsAre("a"));
}

TEST_F(MatchTest, TwoPodsThatMayStartAreSeveral) {
  view_.Show(MakePod("p2", "u1", {Share("a", 20)}));
  NodePod deleting = MakePod("p1", "u2", {Share("a", 20)});
  deleting.pod.deleting = true;  // its container may still start
  view_.Show(deleting);
  Entry("u1", "a", Ids(0, 20));
  Entry("u2", "a", Ids(0, 20));
  const Match match = Find(Ids(0, 20));
  ASSERT_EQ(match.kind, Match::Kind::kSeveral);
  ASSERT_EQ(match.pods.size(), 2u);
  EXPECT_EQ(match.pods[0]->pod.key.name, "p1");
}

// The kubelet drops the dead before it gives away what they had, so both must be alive.
TEST_F(MatchTest, AKnownPodBesideAnUnknownUidAreSeveral) {
  view_.Show(MakePod("p1", "u1", {Share("a", 20)}));
  Entry("u1", "a", Ids(0, 20));
  Entry("u9", "a", Ids(0, 20));
  const Match match = Find(Ids(0, 20));
  EXPECT_EQ(match.kind, Match::Kind::kSeveral);
  EXPECT_THAT(match.uids, ElementsAre("u9"));
}

TEST_F(MatchTest, APodThatHasEndedStartsNothing) {
  NodePod ended = MakePod("p0", "u0", {Share("a", 20)});
  ended.pod.phase = model::PodPhase::kFailed;
  view_.Show(ended);
  Entry("u0", "a", Ids(0, 20));
  EXPECT_EQ(Find(Ids(0, 20)).kind, Match::Kind::kFinished);
  view_.Show(MakePod("p1", "u1", {Share("a", 20)}));
  Entry("u1", "a", Ids(0, 20));
  EXPECT_EQ(Find(Ids(0, 20)).kind, Match::Kind::kPod) << "the other one does";
}

TEST_F(MatchTest, StaleEntriesOfOtherSetsDoNotDisturb) {
  view_.Show(MakePod("p1", "u1", {Share("a", 20)}));
  Entry("dead", "a", Ids(0, 19));
  Entry("dead", "b", Ids(10, 20));
  Entry("u1", "a", Ids(0, 20));
  EXPECT_EQ(Find(Ids(0, 20)).kind, Match::Kind::kPod);
}

TEST_F(MatchTest, AUidThatNobodyHasShownIsNotShown) {
  view_.Show(MakePod("p1", "old", {Share("a", 20)}));
  Entry("new", "a", Ids(0, 20));  // created anew under the same name
  const Match match = Find(Ids(0, 20));
  EXPECT_EQ(match.kind, Match::Kind::kNotShown);
  EXPECT_THAT(match.uids, ElementsAre("new"));
}

TEST_F(MatchTest, ACheckpointMayNameAContainerWithoutOurResource) {
  view_.Show(MakePod("p1", "u1", {Share("a", 20)}));
  Entry("u1", "other", Ids(0, 20));
  const Match match = Find(Ids(0, 20));
  EXPECT_EQ(match.kind, Match::Kind::kPod);
  EXPECT_THAT(match.containers, IsEmpty());
}

std::vector<std::string> CandidateNames(FakePodView& view, const std::string& first,
                                        const FilledTest& filled) {
  const PodsSnapshot snapshot = view.Snapshot();
  std::vector<std::string> names;
  for (const NodePod* pod : Candidates(20, snapshot, {}, filled, first)) {
    names.push_back(pod->pod.key.name);
  }
  return names;
}

TEST(Candidates, AreThePodsOfThatSizeTheUnfilledFirst) {
  FakeClock clock;
  FakePodView view(clock);
  view.Show(MakePod("filled", "u1", {Share("a", 20)}));
  view.Show(MakePod("open", "u2", {Share("a", 20)}));
  view.Show(MakePod("half", "u3", {Share("a", 20), Share("b", 20)}));
  view.Show(MakePod("before", "u4", {Share("a", 20)}));
  view.Show(MakePod("other", "u5", {Share("a", 30)}));
  NodePod unknown = MakePod("unknown", "u6", {Share("a", 20)});
  unknown.acknowledged = false;  // PodResources may mean another pod of that name
  view.Show(unknown);
  NodePod ended = MakePod("ended", "u7", {Share("a", 20)});
  ended.pod.phase = model::PodPhase::kSucceeded;
  view.Show(ended);
  const FilledTest filled = [](std::string_view uid, std::string_view container) {
    return container == "a" && uid != "u2";
  };
  EXPECT_THAT(CandidateNames(view, "u4", filled), ElementsAre("before", "open", "half", "filled"));
}

std::vector<std::string> Listed(const NodePod& pod, const std::vector<std::string>& ids,
                                std::vector<PodResourcesContainer> containers) {
  PodResourcesPod listed{pod.pod.key, std::move(containers)};
  return ContainersByListing(ids, pod, listed, {});
}

TEST(ContainersByListing, AnAppContainerHasExactlyTheIds) {
  const NodePod pod = MakePod("p", "u", {Share("a", 20), Share("b", 20)});
  EXPECT_THAT(Listed(pod, Ids(20, 20), {{"a", Ids(0, 20)}, {"b", Ids(20, 20)}}), ElementsAre("b"));
  EXPECT_THAT(Listed(pod, Ids(20, 10), {{"a", Ids(0, 20)}, {"b", Ids(20, 20)}}), IsEmpty());
}

// 12 IDs of the init container, handed on as 6 and 6.
TEST(ContainersByListing, AnInitContainersIdsAreSpreadOverThoseThatFollow) {
  const NodePod pod = MakePod("p", "u", {Init("i", 12), Sidecar("s", 6), Share("a", 6)});
  EXPECT_THAT(Listed(pod, Ids(10, 12), {{"s", Ids(10, 6)}, {"a", Ids(16, 6)}}), ElementsAre("i"));
}

TEST(ContainersByListing, AnInitContainerMayHaveTheVerySameIds) {
  const NodePod pod = MakePod("p", "u", {Init("i", 6), Share("a", 6)});
  EXPECT_THAT(Listed(pod, Ids(0, 6), {{"a", Ids(0, 6)}}), ElementsAre("i", "a"));
}

TEST(ContainersByListing, APodOfAnotherNameProvesNothing) {
  const NodePod pod = MakePod("p", "u", {Share("a", 6)});
  const PodResourcesPod other{{"default", "q"}, {{"a", Ids(0, 6)}}};
  EXPECT_THAT(ContainersByListing(Ids(0, 6), pod, other, {}), IsEmpty());
}

}  // namespace
}  // namespace aliquot::agent
