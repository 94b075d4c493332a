// SPDX-License-Identifier: Apache-2.0
// Why pods are not created or are gone, by the events of those who made them.
#include <gtest/gtest.h>

#include "cli/why/not_created.h"

namespace aliquot::cli {
namespace {

SeenEvent Failed(const std::string& kind, const std::string& name,
                 const std::string& message = "Error creating: x") {
  SeenEvent event;
  event.reason = "FailedCreate";
  event.kind = kind;
  event.name = name;
  event.message = message;
  return event;
}

TEST(Owner, KindsAreNamedAsForKubectl) {
  for (const char* kind : {"deployment", "deployments", "deploy", "Deployment", "deployments.apps",
                           "deployment.v1.apps"}) {
    EXPECT_EQ(OwnerNamed(kind, "web").kind, "Deployment") << kind;
  }
  EXPECT_EQ(OwnerNamed("po", "web").kind, "Pod");
  EXPECT_EQ(OwnerNamed("sts", "web").kind, "StatefulSet");
  EXPECT_EQ(OwnerNamed("rayclusters.ray.io", "web").kind, "");
}

TEST(Owner, ADeploymentIsFollowedToItsReplicaSets) {
  const Owner web = OwnerNamed("deployment", "web");
  EXPECT_TRUE(web.Covers("ReplicaSet", "web-5d9f8c7b4"));
  EXPECT_TRUE(web.Covers("Deployment", "web"));
  EXPECT_FALSE(web.Covers("ReplicaSet", "web-api-5d9f8c7b4"));  // of another Deployment
  EXPECT_FALSE(web.Covers("ReplicaSet", "web-old"));            // no hash has an o
  EXPECT_FALSE(web.Covers("ReplicaSet", "web-"));
  EXPECT_FALSE(web.Covers("StatefulSet", "web"));
  EXPECT_TRUE(OwnerNamed("cronjob", "nightly").Covers("Job", "nightly-29406000"));
  EXPECT_FALSE(OwnerNamed("cronjob", "nightly").Covers("ReplicaSet", "nightly-29406000"));
  EXPECT_TRUE(OwnerNamed("job", "train").Covers("Job", "train"));
  EXPECT_FALSE(OwnerNamed("job", "train").Covers("ReplicaSet", "train-5d9f8c7b4"));
}

TEST(Owner, ItsLatestFailureIsFound) {
  const std::vector<SeenEvent> events{Failed("ReplicaSet", "api-5d9f8c7b4", "other"),
                                      Failed("ReplicaSet", "web-5d9f8c7b4", "latest"),
                                      Failed("ReplicaSet", "web-6d9f8c7b4", "older")};
  ASSERT_NE(FailedCreation(OwnerNamed("deploy", "web"), events), nullptr);
  EXPECT_EQ(FailedCreation(OwnerNamed("deploy", "web"), events)->message, "latest");
  EXPECT_EQ(FailedCreation(OwnerNamed("job", "web"), events), nullptr);
}

TEST(Owner, APodOfAStatefulSetThatWasNeverMadeIsFoundByItsName) {
  const std::vector<SeenEvent> events{
      Failed("StatefulSet", "web", "create Pod web-1 in StatefulSet web failed error: x")};
  EXPECT_NE(FailedCreation({"", "web-1"}, events), nullptr);
  EXPECT_EQ(FailedCreation({"", "web-2"}, events), nullptr);
}

TEST(NotCreated, AQuotaIsNamedWithWhatItLacks) {
  const WhyAnswer answer = NotCreated(
      R"(Error creating: pods "web-5d9f-x" is forbidden: exceeded quota: gpus, requested: requests.tencent.com/vcuda-core=40, used: requests.tencent.com/vcuda-core=80, limited: requests.tencent.com/vcuda-core=100)");
  EXPECT_EQ(answer.code, "quota");
  EXPECT_EQ(
      answer.sentence,
      "its pods are not created for want of quota: exceeded quota: gpus, requested: "
      "requests.tencent.com/vcuda-core=40, used: requests.tencent.com/vcuda-core=80, limited: "
      "requests.tencent.com/vcuda-core=100; ask for less, end other pods, or have the quota "
      "raised");
  EXPECT_EQ(NotCreated("failed quota: gpus: must specify requests.cpu").code, "quota");
}

TEST(NotCreated, OfOurOwnRefusalTheSentenceIsShown) {
  const WhyAnswer answer = NotCreated(
      R"(Error creating: admission webhook "mutate.admission.aliquot.io" denied the request: vcuda-core is 150; use a multiple of 100)");
  EXPECT_EQ(answer.code, "admission_refused");
  EXPECT_EQ(answer.sentence, "its pods are not created: vcuda-core is 150; use a multiple of 100");
  const WhyAnswer guard = NotCreated(
      R"(Error creating: pods "x" is forbidden: ValidatingAdmissionPolicy 'aliquot-pods' with binding 'aliquot-pods' denied request: only the allocator may write it)");
  EXPECT_EQ(guard.code, "admission_refused");
  EXPECT_EQ(guard.sentence, "its pods are not created: only the allocator may write it");
}

TEST(NotCreated, SomebodyElsesWebhookIsNamed) {
  const WhyAnswer answer =
      NotCreated(R"(Error creating: admission webhook "no.example.com" denied the request: never)");
  EXPECT_EQ(answer.code, "not_created");
  EXPECT_EQ(answer.sentence,
            "its pods are not created, because the webhook no.example.com refuses them: never");
}

TEST(NotCreated, AnAllocatorThatIsDownIsToldFromOtherWebhooks) {
  const std::string tail =
      R"(": failed to call webhook: Post "https://h/mutate?timeout=5s": dial tcp: connection refused)";
  const WhyAnswer ours = NotCreated(
      R"(Error creating: Internal error occurred: failed calling webhook "mutate.admission.aliquot.io)" +
      tail);
  EXPECT_EQ(ours.code, "allocator_down");
  EXPECT_NE(ours.sentence.find("connection refused"), std::string::npos);
  EXPECT_NE(ours.sentence.find("aliquotctl doctor"), std::string::npos);
  const WhyAnswer other =
      NotCreated(R"(Internal error occurred: failed calling webhook "x.example.com)" + tail);
  EXPECT_EQ(other.code, "not_created");
  EXPECT_NE(other.sentence.find("the webhook x.example.com does not answer"), std::string::npos);
}

TEST(NotCreated, AnythingElseIsShownAsItIs) {
  const WhyAnswer answer = NotCreated(R"(Error creating: serviceaccount "x" not found)");
  EXPECT_EQ(answer.code, "not_created");
  EXPECT_EQ(answer.sentence,
            R"(its pods are not created: Error creating: serviceaccount "x" not found)");
}

TEST(WentAway, PreemptionAndEvictionAreTold) {
  SeenEvent event;
  event.reason = "Preempted";
  event.message = "Preempted by pod 1-2 on node a";
  EXPECT_EQ(WentAway({event}).code, "preempted");
  event.reason = "Evicted";
  EXPECT_EQ(WentAway({event}).code, "evicted");
  event.reason = "TaintManagerEviction";
  event.message = "Marking for deletion Pod team/x";
  EXPECT_EQ(WentAway({event}).code, "evicted");
  event.message = "Cancelling deletion of Pod team/x";
  EXPECT_EQ(WentAway({event}).code, "");
  EXPECT_EQ(WentAway({}).code, "");
}

}  // namespace
}  // namespace aliquot::cli
