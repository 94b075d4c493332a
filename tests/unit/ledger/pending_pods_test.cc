// SPDX-License-Identifier: Apache-2.0
#include "ledger/pending_pods.h"

#include <gtest/gtest.h>

namespace aliquot::ledger {
namespace {

PendingPod Pod(const std::string& name, const std::string& uid) {
  PendingPod pod;
  pod.key = {"default", name};
  pod.uid = uid;
  return pod;
}

TEST(PendingPods, ForgetsTheOldestOfThoseKnownFromRequestsAlone) {
  PendingPods pods(2);
  pods.Watched(Pod("w", "uid-w"));
  pods.Asked(Pod("a", "uid-a"));
  pods.Asked(Pod("b", "uid-b"));
  pods.Asked(Pod("c", "uid-c"));
  EXPECT_EQ(pods.FindUid("uid-a"), nullptr);
  EXPECT_NE(pods.FindUid("uid-b"), nullptr);
  EXPECT_NE(pods.FindUid("uid-c"), nullptr);
  EXPECT_NE(pods.FindUid("uid-w"), nullptr);
  EXPECT_EQ(pods.size(), 3u);
}

TEST(PendingPods, ARequestNeverWeakensWhatTheWatchSaid) {
  PendingPods pods;
  pods.Watched(Pod("a", "uid-a"));
  pods.Asked(Pod("a", "uid-a"));
  EXPECT_TRUE(pods.FindUid("uid-a")->watched);
}

TEST(PendingPods, AnOlderPodOfTheSameNameLeavesTheNewerOneItsName) {
  PendingPods pods;
  pods.Watched(Pod("a", "uid-1"));
  pods.Watched(Pod("a", "uid-2"));
  pods.Remove("uid-1");
  ASSERT_NE(pods.FindKey({"default", "a"}), nullptr);
  EXPECT_EQ(pods.FindKey({"default", "a"})->uid, "uid-2");
  pods.Remove("uid-2");
  EXPECT_EQ(pods.FindKey({"default", "a"}), nullptr);
}

}  // namespace
}  // namespace aliquot::ledger
