// SPDX-License-Identifier: Apache-2.0
#include "agent/identity/node_pods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "tests/unit/agent/identity/identity_fakes.h"

namespace aliquot::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Log final : public NodePodsObserver {
 public:
  void PodGone(std::string_view uid) override { lines.push_back("gone " + std::string(uid)); }
  void PodFinished(std::string_view uid) override {
    lines.push_back("finished " + std::string(uid));
  }
  void PodsListed(const std::vector<std::string>& uids) override {
    std::string line = "listed";
    for (const std::string& uid : uids) line += " " + uid;
    lines.push_back(line);
  }

  std::vector<std::string> lines;
};

class NodePodsTest : public ::testing::Test {
 protected:
  std::vector<std::string> Uids() {
    std::vector<std::string> uids;
    for (const auto& pod : *pods_.Snapshot().pods) uids.push_back(pod->pod.uid);
    return uids;
  }
  static NodePod Pod(const std::string& name, const std::string& uid) {
    return MakePod(name, uid, {Share("a", 20)});
  }

  FakeClock clock_;
  Log log_;
  NodePods pods_{log_, clock_};
};

TEST_F(NodePodsTest, KeepsThePodsThatAskForOurResources) {
  pods_.Seen(Pod("b", "u2"));
  pods_.Seen(Pod("a", "u1"));
  pods_.Seen(MakePod("c", "u3", {}));
  EXPECT_THAT(Uids(), ElementsAre("u1", "u2"));
  EXPECT_EQ(pods_.Snapshot().Find("u2")->pod.key.name, "b");
  EXPECT_EQ(pods_.Snapshot().Find("u3"), nullptr);
}

TEST_F(NodePodsTest, IsSyncedByTheFirstFullList) {
  pods_.Seen(Pod("a", "u1"));
  EXPECT_FALSE(pods_.Snapshot().synced);
  pods_.Listed({"u1", "without-our-resources"});
  EXPECT_TRUE(pods_.Snapshot().synced);
  EXPECT_THAT(log_.lines, ElementsAre("listed u1 without-our-resources"));
}

TEST_F(NodePodsTest, ADeletedPodIsGoneOnce) {
  pods_.Seen(Pod("a", "u1"));
  pods_.Gone("u1");
  pods_.Gone("u1");
  pods_.Gone("never-shown");
  EXPECT_THAT(Uids(), IsEmpty());
  EXPECT_THAT(log_.lines, ElementsAre("gone u1"));
}

TEST_F(NodePodsTest, APodBeingDeletedStaysUntilItIsGone) {
  NodePod pod = Pod("a", "u1");
  pod.pod.deleting = true;
  pods_.Seen(pod);
  EXPECT_THAT(Uids(), ElementsAre("u1"));
  EXPECT_THAT(log_.lines, IsEmpty());
}

TEST_F(NodePodsTest, APodCreatedAnewUnderTheSameNameReplacesTheOld) {
  pods_.Seen(Pod("a", "u1"));
  pods_.Seen(Pod("a", "u2"));
  EXPECT_THAT(Uids(), ElementsAre("u2"));
  EXPECT_THAT(log_.lines, ElementsAre("gone u1"));
  pods_.Gone("u1");
  EXPECT_THAT(log_.lines, ElementsAre("gone u1"));
}

TEST_F(NodePodsTest, WhatAFullListLacksIsGone) {
  pods_.Seen(Pod("a", "u1"));
  pods_.Seen(Pod("b", "u2"));
  pods_.Listed({"u2"});
  EXPECT_THAT(Uids(), ElementsAre("u2"));
  EXPECT_THAT(log_.lines, ElementsAre("gone u1", "listed u2"));
}

TEST_F(NodePodsTest, TheEndOfAPodIsToldOnce) {
  NodePod pod = Pod("a", "u1");
  pods_.Seen(pod);
  pod.pod.phase = model::PodPhase::kSucceeded;
  pods_.Seen(pod);
  pods_.Seen(pod);
  EXPECT_THAT(log_.lines, ElementsAre("finished u1"));
  pods_.Gone("u1");
  EXPECT_THAT(log_.lines, ElementsAre("finished u1", "gone u1"));
}

TEST_F(NodePodsTest, ASnapshotDoesNotChange) {
  pods_.Seen(Pod("a", "u1"));
  const PodsSnapshot before = pods_.Snapshot();
  pods_.Gone("u1");
  EXPECT_EQ(before.pods->size(), 1u);
  EXPECT_NE(before.revision, pods_.Snapshot().revision);
}

TEST_F(NodePodsTest, BookmarksAreHeardWithoutBeingNews) {
  pods_.Seen(Pod("a", "u1"));
  const PodsSnapshot before = pods_.Snapshot();
  clock_.Advance(std::chrono::seconds(60));
  pods_.Heard();
  EXPECT_EQ(pods_.Snapshot().heard, clock_.SteadyNow());
  EXPECT_EQ(pods_.Snapshot().revision, before.revision);
}

TEST_F(NodePodsTest, WhoWaitsIsWokenByTheNextChange) {
  const std::uint64_t revision = pods_.Snapshot().revision;
  std::thread teller([&] { pods_.Seen(Pod("a", "u1")); });
  pods_.WaitForNews(revision, std::chrono::steady_clock::now() + std::chrono::seconds(30));
  EXPECT_NE(pods_.Snapshot().revision, revision);
  teller.join();
  const std::uint64_t last = pods_.Snapshot().revision;
  pods_.WaitForNews(last, std::chrono::steady_clock::now());  // passes: returns, with no news
  EXPECT_EQ(pods_.Snapshot().revision, last);
}

}  // namespace
}  // namespace aliquot::agent
