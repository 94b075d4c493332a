// SPDX-License-Identifier: Apache-2.0
#include "agent/identity/starting_container.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/unit/agent/identity/identity_fakes.h"

namespace aliquot::agent {
namespace {

using Trust = StartingContainer::Trust;
using std::chrono::seconds;

// Two init containers and the app container with the same IDs.
class StartingContainerTest : public ::testing::Test {
 protected:
  StartingContainer Find(std::vector<ContainerStatus> statuses) {
    pod_.statuses = std::move(statuses);
    return FindStarting(pod_, {"i1", "i2", "a"}, last_, now_, heard_);
  }
  void ToldLast(const ContainerStatus& status) { last_ = {"u", status.name, status, now_}; }

  NodePod pod_ = MakePod("p", "u", {Init("i1", 20), Init("i2", 20), Share("a", 20)});
  std::optional<LastStart> last_;
  SteadyTime now_{seconds(1000)};
  SteadyTime heard_ = now_;
};

#define EXPECT_STARTS(call, name, how)  \
  {                                     \
    const StartingContainer got = call; \
    EXPECT_EQ(got.container, name);     \
    EXPECT_EQ(got.trust, Trust::how);   \
  }

TEST_F(StartingContainerTest, OneContainerAloneNeedsNoStatus) {
  pod_.statuses = {Running("a")};
  EXPECT_STARTS(FindStarting(pod_, {"a"}, last_, now_, heard_), "a", kCertain);
}

TEST_F(StartingContainerTest, TheFirstInitContainerThatIsNotDoneStarts) {
  EXPECT_STARTS(Find({}), "i1", kCertain);
  EXPECT_STARTS(Find({Waiting("i1", "PodInitializing")}), "i1", kCertain);
  EXPECT_STARTS(Find({Ended("i1", 0)}), "i2", kCertain);
  EXPECT_STARTS(Find({Ended("i1", 0), Ended("i2", 0)}), "a", kCertain);
}

// Or the pod has lost its sandbox and begins anew; its status would show it in a moment.
TEST_F(StartingContainerTest, OneThatFollowsOthersIsCertainTheFirstTimeOnly) {
  EXPECT_STARTS(Find({Ended("i1", 0), Ended("i2", 1)}), "i2", kLikely);
  EXPECT_STARTS(Find({Ended("i1", 0), Waiting("i2", "CreateContainerError")}), "i2", kLikely);
  last_ = {"u", "i2", Waiting("i2", ""), now_, false};
  EXPECT_STARTS(Find({Ended("i1", 0)}), "i2", kLikely);
  last_ = {"u", "i1", Waiting("i1", ""), now_, true, true};
  EXPECT_STARTS(Find({Ended("i1", 0)}), "i2", kLikely);
}

// i1 and i2 have run, then a; the sandbox is younger.
TEST_F(StartingContainerTest, WhatRanBeforeTheSandboxWasThereIsOfAnEarlierLife) {
  const auto at = [](ContainerStatus status, const std::string& from, const std::string& to) {
    status.started_at = "2026-11-29T13:42:" + from + "Z";
    status.finished_at = "2026-11-29T13:42:" + to + "Z";
    return status;
  };
  const ContainerStatus a = at(Ended("a", 1), "12", "15");
  pod_.sandbox_since = "2026-11-29T13:42:20Z";
  EXPECT_STARTS(Find({at(Ended("i1", 0), "10", "10"), at(Ended("i2", 0), "11", "11"), a}), "i1",
                kCertain);
  // The first init container is quicker than the kubelet's look at the sandbox.
  EXPECT_STARTS(Find({at(Ended("i1", 0, 1), "19", "19"), at(Ended("i2", 0), "11", "11"), a}), "i2",
                kLikely);
  EXPECT_STARTS(Find({at(Ended("i1", 0, 1), "19", "19"), at(Ended("i2", 0, 1), "21", "21"), a}),
                "a", kLikely);
  pod_.sandbox_since = "2026-11-29T13:42:11Z";  // one life
  EXPECT_STARTS(Find({at(Ended("i1", 0), "10", "10"), at(Ended("i2", 0), "11", "11"), a}), "a",
                kLikely);
}

TEST_F(StartingContainerTest, AnInitContainerOlderThanTheRunOfOneBeforeItIsToRunAgain) {
  ContainerStatus i1 = Ended("i1", 0, 1);
  ContainerStatus i2 = Ended("i2", 0);
  i1.started_at = "2026-11-29T13:42:20Z";
  i2.started_at = "2026-11-29T13:42:11Z";
  EXPECT_STARTS(Find({i1, i2}), "i2", kLikely);  // the sandbox's time is not known
}

TEST_F(StartingContainerTest, WhatAnotherAgentToldIsNotKnownToBeOld) {
  last_ = {"u", "i1", std::nullopt, now_, true, true};
  EXPECT_STARTS(Find({Waiting("i1", "")}), "i1", kUncertain);
  EXPECT_STARTS(Find({Ended("i1", 0)}), "i2", kLikely);
}

TEST_F(StartingContainerTest, ARunningInitContainerHasEndedButHowIsNotKnown) {
  EXPECT_STARTS(Find({Running("i1")}), "i1", kUncertain);
}

// It may have run, in less time than its status takes to us.
TEST_F(StartingContainerTest, AnInitContainerToldBeforeMayBeDoneUnseen) {
  ToldLast(Waiting("i1", ""));
  now_ += std::chrono::milliseconds(100);
  EXPECT_STARTS(Find({Waiting("i1", "PodInitializing")}), "i1", kUncertain);
}

TEST_F(StartingContainerTest, AFailureShownSinceProvesThatItStartsAgain) {
  ToldLast(Waiting("i1", "PodInitializing"));
  EXPECT_STARTS(Find({Waiting("i1", "CreateContainerError")}), "i1", kCertain);
  EXPECT_STARTS(Find({Ended("i1", 1)}), "i1", kCertain);
  ToldLast(Ended("i1", 1, 1));
  EXPECT_STARTS(Find({Ended("i1", 1, 1)}), "i1", kUncertain);
  EXPECT_STARTS(Find({Ended("i1", 1, 2)}), "i1", kCertain);
}

TEST_F(StartingContainerTest, SilenceOfALiveWatchSettlesThatItHasNotRun) {
  ToldLast(Waiting("i1", ""));
  const SteadyTime told = now_;
  now_ = told + seconds(12);
  heard_ = told + seconds(4);
  EXPECT_STARTS(Find({Waiting("i1", "")}), "i1", kUncertain);  // the watch may be dead since
  heard_ = told + seconds(11);
  EXPECT_STARTS(Find({Waiting("i1", "")}), "i1", kLikely);
}

TEST_F(StartingContainerTest, WhatAnotherPodWasToldMeansNothing) {
  last_ = {"another", "i1", Waiting("i1", ""), now_};
  EXPECT_STARTS(Find({Waiting("i1", "")}), "i1", kCertain);
}

// Or the pod has lost its sandbox and begins anew; its status would show it in a moment.
TEST_F(StartingContainerTest, ARestartOfTheAppContainerWaitsForALaterStatus) {
  const std::vector<ContainerStatus> done = {Ended("i1", 0), Ended("i2", 0)};
  for (const ContainerStatus& app :
       {Running("a"), Ended("a", 1), Waiting("a", "CrashLoopBackOff")}) {
    std::vector<ContainerStatus> statuses = done;
    statuses.push_back(app);
    EXPECT_STARTS(Find(statuses), "a", kLikely);
  }
}

TEST_F(StartingContainerTest, WithoutASandboxEveryInitContainerRunsAgain) {
  pod_.without_sandbox = true;
  EXPECT_STARTS(Find({Ended("i1", 0), Ended("i2", 0), Ended("a", 1)}), "i1", kCertain);
  ToldLast(Ended("i1", 0));
  EXPECT_STARTS(Find({Ended("i1", 0), Ended("i2", 0), Ended("a", 1)}), "i1", kUncertain);
  pod_.without_sandbox = false;
  EXPECT_STARTS(Find({Ended("i1", 0), Ended("i2", 0), Ended("a", 1)}), "i1", kUncertain);
  EXPECT_STARTS(Find({Ended("i1", 0, 1), Waiting("i2", "PodInitializing")}), "i2", kCertain);
}

TEST_F(StartingContainerTest, ASidecarKeepsTheIdsAndIsTheLast) {
  pod_ = MakePod("p", "u", {Init("i1", 20), Sidecar("s", 20), Share("a", 5)});
  pod_.statuses = {Ended("i1", 0)};
  EXPECT_STARTS(FindStarting(pod_, {"i1", "s"}, last_, now_, heard_), "s", kCertain);
}

// 40 IDs of both, handed on in parts: nothing but a new life of the pod starts either again.
TEST_F(StartingContainerTest, InitContainersThatAreAllDoneMeanAStatusThatIsBehind) {
  pod_.statuses = {Ended("i1", 0), Ended("i2", 0)};
  EXPECT_STARTS(FindStarting(pod_, {"i1", "i2"}, last_, now_, heard_), "i1", kUncertain);
}

}  // namespace
}  // namespace aliquot::agent
