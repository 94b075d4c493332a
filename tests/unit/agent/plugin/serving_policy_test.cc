// SPDX-License-Identifier: Apache-2.0
#include "agent/plugin/serving_policy.h"

#include <gtest/gtest.h>

namespace aliquot::agent {
namespace {

using std::chrono::seconds;

constexpr SocketIdentity kFirst{1, 10, 1000};
constexpr SocketIdentity kSecond{1, 10, 2000};  // the same inode, handed out again

// Served, registered with the kubelet that is there, its stream open.
ServingFacts AllWell() {
  ServingFacts facts;
  facts.has_list = true;
  facts.kubelet_socket = kFirst;
  facts.serving = true;
  facts.own_socket_present = true;
  facts.registered_with = kFirst;
  facts.streams = 1;
  return facts;
}

TEST(ServingPolicyTest, NothingIsDoneWhileAllIsWell) {
  EXPECT_EQ(NextServingStep(AllWell()), ServingStep::kNone);
}

TEST(ServingPolicyTest, NothingIsServedBeforeThereIsAList) {
  ServingFacts facts;
  facts.kubelet_socket = kFirst;
  EXPECT_EQ(NextServingStep(facts), ServingStep::kNone);
}

TEST(ServingPolicyTest, NothingIsDoneWithoutAKubelet) {
  ServingFacts facts = AllWell();
  facts.kubelet_socket.reset();
  facts.own_socket_present = false;
  facts.streams = 0;
  facts.without_stream = seconds(60);
  EXPECT_EQ(NextServingStep(facts), ServingStep::kNone);
}

TEST(ServingPolicyTest, AServerIsStartedThenRegistered) {
  ServingFacts facts;
  facts.has_list = true;
  facts.kubelet_socket = kFirst;
  EXPECT_EQ(NextServingStep(facts), ServingStep::kServe);
  facts.serving = true;
  facts.own_socket_present = true;
  EXPECT_EQ(NextServingStep(facts), ServingStep::kRegister);
}

TEST(ServingPolicyTest, AnotherKubeletSocketMeansToStartOver) {
  ServingFacts facts = AllWell();
  facts.kubelet_socket = kSecond;
  EXPECT_EQ(NextServingStep(facts), ServingStep::kClose);
}

TEST(ServingPolicyTest, ARemovedSocketOfOursMeansToStartOver) {
  ServingFacts facts = AllWell();
  facts.own_socket_present = false;
  EXPECT_EQ(NextServingStep(facts), ServingStep::kClose);
  facts.registered_with.reset();
  EXPECT_EQ(NextServingStep(facts), ServingStep::kClose);
}

TEST(ServingPolicyTest, AMissingStreamIsWaitedForThenMeansToStartOver) {
  ServingFacts facts = AllWell();
  facts.streams = 0;
  facts.without_stream = seconds(4);
  EXPECT_EQ(NextServingStep(facts), ServingStep::kNone);
  facts.without_stream = seconds(5);
  EXPECT_EQ(NextServingStep(facts), ServingStep::kClose);
}

TEST(ServingPolicyTest, BeforeRegistrationNoStreamIsExpected) {
  ServingFacts facts = AllWell();
  facts.registered_with.reset();
  facts.streams = 0;
  facts.without_stream = seconds(3600);
  EXPECT_EQ(NextServingStep(facts), ServingStep::kRegister);
}

TEST(ServingPolicyTest, WhoAsksGetsANewRegistration) {
  ServingFacts facts = AllWell();
  facts.asked_again = true;
  EXPECT_EQ(NextServingStep(facts), ServingStep::kClose);
  // Not yet registered: that is what was asked for.
  facts.registered_with.reset();
  EXPECT_EQ(NextServingStep(facts), ServingStep::kRegister);
}

}  // namespace
}  // namespace aliquot::agent
