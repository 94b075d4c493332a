// SPDX-License-Identifier: Apache-2.0
#include "api/pod_codec.h"

#include <gtest/gtest.h>

#include "model/demand.h"
#include "tests/unit/api/recorded.h"

namespace aliquot::api {
namespace {

using model::ContainerKind;

Result<model::Pod> Parse(const std::string& json) { return ParsePod(json, model::ResourceNames()); }

std::string Refusal(const std::string& json) { return Parse(json).status().message(); }

// A pod with these containers, each `{..}`.
std::string PodWith(const std::string& containers) {
  return R"({"metadata":{"name":"p","namespace":"ns"},"spec":{"containers":[)" + containers + "]}}";
}

TEST(ParsePod, ReadsWhatABoundPodSays) {
  const auto pod = Parse(Recorded("binding/pod-after.json"));
  ASSERT_TRUE(pod.ok()) << pod.status().ToString();
  EXPECT_EQ(pod->key.namespace_name, "default");
  EXPECT_EQ(pod->key.name, "bnd");
  EXPECT_EQ(pod->uid, "f74fd775-5da6-4fd9-87dc-ce4ba81e375e");
  EXPECT_EQ(pod->node_name, "n1");
  EXPECT_EQ(pod->scheduler_name, "none");
  EXPECT_EQ(pod->phase, model::PodPhase::kPending);
  EXPECT_FALSE(pod->resource_version.empty());
  EXPECT_FALSE(pod->deleting);
}

TEST(ParsePod, LimitsWinOverRequestsAndOnlyOurPrefixIsKept) {
  const auto pod = Parse(PodWith(
      R"({"name":"a","resources":{"limits":{"tencent.com/vcuda-core":"30","cpu":"1"},)"
      R"("requests":{"tencent.com/vcuda-core":"20","tencent.com/vcuda-memory":"4","nvidia.com/gpu":"1"}}},)"
      R"({"name":"b","resources":{"limits":{"cpu":"1"}}},{"name":"c"})"));
  ASSERT_TRUE(pod.ok());
  ASSERT_EQ(pod->gpu_containers.size(), 1u);
  const auto& quantities = pod->gpu_containers[0].quantities;
  ASSERT_EQ(quantities.size(), 2u);
  EXPECT_EQ(quantities[0].resource, "tencent.com/vcuda-core");
  EXPECT_EQ(quantities[0].text, "30");
  EXPECT_EQ(quantities[1].resource, "tencent.com/vcuda-memory");
  EXPECT_EQ(quantities[1].text, "4");
}

TEST(ParsePod, KeepsItsLabelsAndItsNomination) {
  const auto pod =
      Parse(R"({"metadata":{"name":"p","labels":{"app":"db","aliquot.io/gpu":"true","empty":""}},)"
            R"("status":{"phase":"Pending","nominatedNodeName":"n7"}})");
  ASSERT_TRUE(pod.ok()) << pod.status().ToString();
  EXPECT_EQ(pod->labels.Find("app"), "db");
  EXPECT_EQ(pod->labels.Find("empty"), "");
  EXPECT_TRUE(pod->has_gpu_label);
  EXPECT_EQ(pod->nominated_node, "n7");
  EXPECT_EQ(Parse(R"({"metadata":{"name":"p"}})")->nominated_node, "");
}

TEST(ParsePod, KeepsMisspeltResourcesOfOurPrefixForTheirRefusal) {
  const auto pod =
      Parse(PodWith(R"({"name":"a","resources":{"limits":{"tencent.com/vcuda-cores":"30"}}})"));
  ASSERT_TRUE(pod.ok());
  ASSERT_EQ(pod->gpu_containers.size(), 1u);
  EXPECT_EQ(pod->gpu_containers[0].quantities[0].resource, "tencent.com/vcuda-cores");
}

TEST(ParsePod, AFloodOfNamesOfOurPrefixTakesTimeByItsNumberNotBySquare) {
  constexpr int kNames = 300000;  // compared with each other they would take minutes
  std::string limits;
  for (int i = 0; i < kNames; ++i) {
    limits += (i == 0 ? "\"tencent.com/vcuda-" : ",\"tencent.com/vcuda-") + std::to_string(i) +
              "\":\"1\"";
  }
  const auto pod = Parse(PodWith(R"({"name":"a","resources":{"limits":{)" + limits + "}}}"));
  ASSERT_TRUE(pod.ok()) << pod.status().ToString();
  ASSERT_EQ(pod->gpu_containers.size(), 1u);
  EXPECT_EQ(pod->gpu_containers[0].quantities.size(), 16u);
  EXPECT_EQ(
      model::DemandOf(*pod, model::ResourceNames()).status().message(),
      "container \"a\": resource tencent.com/vcuda-0 is not known; use tencent.com/vcuda-core "
      "and tencent.com/vcuda-memory");
}

TEST(ParsePod, IndexCountsEveryContainerOfItsList) {
  const auto pod = Parse(PodWith(
      R"({"name":"a"},{"name":"b"},{"name":"c","resources":{"limits":{"tencent.com/vcuda-core":"100"}}})"));
  ASSERT_EQ(pod->gpu_containers.size(), 1u);
  EXPECT_EQ(pod->gpu_containers[0].index, 2);
}

TEST(ParsePod, AnInitContainerThatRestartsAlwaysIsASidecar) {
  const auto pod = Parse(
      R"({"spec":{"initContainers":[)"
      R"({"name":"i","resources":{"limits":{"tencent.com/vcuda-core":"1"}}},)"
      R"({"name":"s","restartPolicy":"Always","resources":{"limits":{"tencent.com/vcuda-core":"1"}}}],)"
      R"("containers":[{"name":"a","restartPolicy":"Always","resources":{"limits":{"tencent.com/vcuda-core":"1"}}}]}})");
  ASSERT_TRUE(pod.ok());
  ASSERT_EQ(pod->gpu_containers.size(), 3u);
  EXPECT_EQ(pod->gpu_containers[0].kind, ContainerKind::kInit);
  EXPECT_EQ(pod->gpu_containers[1].kind, ContainerKind::kSidecar);
  EXPECT_EQ(pod->gpu_containers[1].index, 1);
  EXPECT_EQ(pod->gpu_containers[2].kind, ContainerKind::kApp);
}

TEST(ParsePod, InitContainersComeFirstWhateverTheOrderOfTheKeys) {
  const auto pod = Parse(
      R"({"spec":{"containers":[{"name":"a","resources":{"limits":{"tencent.com/vcuda-core":"1"}}}],)"
      R"("initContainers":[{"name":"i","resources":{"limits":{"tencent.com/vcuda-core":"1"}}}]}})");
  ASSERT_EQ(pod->gpu_containers.size(), 2u);
  EXPECT_EQ(pod->gpu_containers[0].name, "i");
}

TEST(ParsePod, QuantitiesMayBeBareNumbers) {
  const auto pod =
      Parse(PodWith(R"({"name":"a","resources":{"limits":{"tencent.com/vcuda-core":20,)"
                    R"("tencent.com/vcuda-memory":1e3}}})"));
  ASSERT_TRUE(pod.ok());
  const auto demand = model::DemandOf(*pod, model::ResourceNames());
  ASSERT_TRUE(demand.ok()) << demand.status().ToString();
  EXPECT_EQ(demand->containers[0].core, 20);
  EXPECT_EQ(demand->containers[0].mib, 1000 * 256);
}

TEST(ParsePod, TheHostIsCountedOverAllContainersAndTheOverhead) {
  // Init 4 cores beside the sidecar's 1: 5 cores. Later 1 + 0.5 + 2: less. Memory: 64 MiB of the
  // sidecar and 1 GiB of the app container; both get 10 m and 32 MiB of overhead.
  const auto pod = Parse(
      R"({"spec":{"initContainers":[)"
      R"({"name":"s","restartPolicy":"Always","resources":{"requests":{"cpu":"1","memory":"64Mi"}}},)"
      R"({"name":"i","resources":{"requests":{"cpu":"4"}}}],)"
      R"("containers":[{"name":"a","resources":{"requests":{"cpu":"500m","memory":"1Gi"}}},)"
      R"({"name":"b","resources":{"limits":{"cpu":2}}}],)"
      R"("overhead":{"cpu":"10m","memory":"32Mi"}}})");
  ASSERT_TRUE(pod.ok()) << pod.status().ToString();
  EXPECT_EQ(pod->host, (model::HostAmount{5010, 64 + 1024 + 32}));
  EXPECT_TRUE(pod->gpu_containers.empty());
}

TEST(ParsePod, ARequestCountsBeforeALimit) {
  const auto pod = Parse(PodWith(
      R"({"name":"a","resources":{"requests":{"cpu":"1"},"limits":{"cpu":"8","memory":"2Gi"}}})"));
  EXPECT_EQ(pod->host, (model::HostAmount{1000, 2048}));
}

TEST(ParsePod, RequestsOfThePodHoldInsteadOfItsContainers) {
  const auto pod = Parse(R"({"spec":{"resources":{"requests":{"cpu":"3"}},"containers":[)"
                         R"({"name":"a","resources":{"requests":{"cpu":"1","memory":"1Gi"}}}]}})");
  EXPECT_EQ(pod->host, (model::HostAmount{3000, 1024}));
}

TEST(ParsePod, AnUnreadableHostAmountCountsAsNone) {
  const auto pod =
      Parse(PodWith(R"({"name":"a","resources":{"requests":{"cpu":"many","memory":"1Gi"}}})"));
  ASSERT_TRUE(pod.ok()) << pod.status().ToString();
  EXPECT_EQ(pod->host, (model::HostAmount{0, 1024}));
}

TEST(ParsePod, OnlyAnnotationsOfOurDomainsAreKept) {
  const auto pod = Parse(
      R"({"metadata":{"annotations":{"aliquot.io/numa":"preferred","tencent.com/vcuda-core-limit":"50",)"
      R"("tencent.com.evil/x":"1","kubectl.kubernetes.io/last-applied-configuration":"{}"}}})");
  ASSERT_TRUE(pod.ok());
  EXPECT_EQ(pod->annotations.size(), 2u);
  EXPECT_EQ(*pod->Annotation("tencent.com/vcuda-core-limit"), "50");
}

TEST(ParsePod, TheLabelCountsOnlyWithItsValue) {
  EXPECT_TRUE(Parse(R"({"metadata":{"labels":{"aliquot.io/gpu":"true"}}})")->has_gpu_label);
  EXPECT_FALSE(Parse(R"({"metadata":{"labels":{"aliquot.io/gpu":"false"}}})")->has_gpu_label);
  EXPECT_FALSE(Parse(R"({"metadata":{"labels":{"x":"true"}}})")->has_gpu_label);
}

TEST(ParsePod, PhasesAndDeletion) {
  EXPECT_EQ(Parse(R"({"status":{"phase":"Running"}})")->phase, model::PodPhase::kRunning);
  EXPECT_EQ(Parse(R"({"status":{"phase":"Succeeded"}})")->phase, model::PodPhase::kSucceeded);
  EXPECT_EQ(Parse(R"({"status":{"phase":"Failed"}})")->phase, model::PodPhase::kFailed);
  EXPECT_EQ(Parse(R"({"status":{"phase":"Odd"}})")->phase, model::PodPhase::kUnknown);
  EXPECT_EQ(Parse("{}")->phase, model::PodPhase::kPending);
  EXPECT_TRUE(Parse(R"({"metadata":{"deletionTimestamp":"2026-11-29T13:26:40Z"}})")->deleting);
  EXPECT_FALSE(Parse(R"({"metadata":{"deletionTimestamp":null}})")->deleting);
}

TEST(ParsePod, ToleratesACordonByKubernetesOwnRule) {
  const auto tolerates = [](const std::string& toleration) {
    const auto pod = Parse(R"({"spec":{"tolerations":[)" + toleration + "]}}");
    EXPECT_TRUE(pod.ok()) << pod.status().ToString();
    return pod->tolerates_cordon;
  };
  EXPECT_TRUE(tolerates(
      R"({"key":"node.kubernetes.io/unschedulable","operator":"Exists","effect":"NoSchedule"})"));
  EXPECT_TRUE(tolerates(R"({"key":"node.kubernetes.io/unschedulable"})"));
  EXPECT_TRUE(tolerates(R"({"operator":"Exists"})"));
  EXPECT_FALSE(tolerates(R"({"key":"node.kubernetes.io/unschedulable","value":"x"})"));
  EXPECT_FALSE(tolerates(
      R"({"key":"node.kubernetes.io/unschedulable","operator":"Exists","effect":"NoExecute"})"));
  EXPECT_FALSE(tolerates(R"({"key":"nvidia.com/gpu","operator":"Exists"})"));
  EXPECT_FALSE(
      tolerates(R"({"key":"node.kubernetes.io/unschedulable","operator":"Gt","value":"1"})"));
}

TEST(ParsePod, NullIsAbsentAndUnknownFieldsAreIgnored) {
  const auto pod = Parse(
      R"({"metadata":null,"spec":{"containers":null,"nodeName":null,"future":{"a":[1,{"b":2}]}},"status":null,"x":1})");
  ASSERT_TRUE(pod.ok()) << pod.status().ToString();
  EXPECT_FALSE(pod->asks_for_gpu());
}

TEST(ParsePod, OfARepeatedKeyTheLastHolds) {
  const auto pod = Parse(
      R"({"metadata":{"name":"a","name":"b"},"spec":{"nodeName":"n1"},"spec":{"nodeName":"n2"}})");
  ASSERT_TRUE(pod.ok());
  EXPECT_EQ(pod->key.name, "b");
  EXPECT_EQ(pod->node_name, "n2");
}

TEST(ParsePod, AWrongTypeIsRefusedByItsPath) {
  EXPECT_EQ(Refusal(R"({"metadata":[]})"), "the pod: metadata is a list; it must be an object");
  EXPECT_EQ(Refusal(R"({"spec":{"nodeName":7}})"),
            "the pod: spec.nodeName is a number; it must be a string");
  EXPECT_EQ(Refusal(R"({"spec":{"containers":{}}})"),
            "the pod: spec.containers is an object; it must be a list");
  EXPECT_EQ(Refusal(PodWith(R"({"name":"a"},{"resources":{"limits":"20"}})")),
            "the pod: spec.containers[1].resources.limits is a string; it must be an object");
  EXPECT_EQ(Refusal(PodWith(R"({"resources":{"limits":{"tencent.com/vcuda-core":[]}}})")),
            "the pod: spec.containers[0].resources.limits.tencent.com/vcuda-core is a list; it "
            "must be a string");
  EXPECT_EQ(Refusal(R"({"metadata":{"annotations":{"aliquot.io/numa":true}}})"),
            "the pod: metadata.annotations.aliquot.io/numa is a boolean; it must be a string");
  EXPECT_EQ(Refusal("[]"), "the pod is a list; it must be an object");
}

TEST(ParsePod, AThousandContainersAreReadAndCounted) {
  std::string containers;
  for (int i = 0; i < 1000; ++i) {
    containers +=
        (i == 0 ? "" : ",") + std::string(R"({"name":"c)") + std::to_string(i) +
        R"(","resources":{"limits":{"tencent.com/vcuda-core":"1","tencent.com/vcuda-memory":"1"}}})";
  }
  const auto pod = Parse(PodWith(containers));
  ASSERT_TRUE(pod.ok());
  EXPECT_EQ(pod->gpu_containers.size(), 1000u);
  EXPECT_EQ(model::DemandOf(*pod, model::ResourceNames()).status().message(),
            "the pod has 1000 GPU containers; use at most 16");
}

}  // namespace
}  // namespace aliquot::api
