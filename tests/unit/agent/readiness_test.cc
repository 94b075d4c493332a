// SPDX-License-Identifier: Apache-2.0
#include "agent/readiness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aliquot::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ReadinessFacts Well() {
  ReadinessFacts facts;
  facts.pods_synced = true;
  facts.node_known = true;
  facts.registered = true;
  return facts;
}

TEST(Readiness, WhoKnowsItsNodeAndPodsAndIsRegisteredIsReady) {
  EXPECT_THAT(ReadinessReasons(Well()), IsEmpty());
}

TEST(Readiness, EachFactThatIsMissingIsOneSentence) {
  ReadinessFacts facts = Well();
  facts.pods_synced = false;
  EXPECT_THAT(ReadinessReasons(facts), ElementsAre(HasSubstr("the pods of this node")));
  facts = Well();
  facts.node_known = false;
  EXPECT_THAT(ReadinessReasons(facts), ElementsAre(HasSubstr("this node's object")));
  facts = Well();
  facts.registered = false;
  facts.registration_problem = "no kubelet.sock";
  EXPECT_THAT(ReadinessReasons(facts),
              ElementsAre("the kubelet does not listen to our devices yet: no kubelet.sock"));
  facts = Well();
  facts.draining = true;
  EXPECT_THAT(ReadinessReasons(facts), ElementsAre("the agent is ending"));
}

TEST(Readiness, AllReasonsAreGivenAtOnce) {
  EXPECT_THAT(ReadinessReasons(ReadinessFacts()), testing::SizeIs(3));
}

}  // namespace
}  // namespace aliquot::agent
