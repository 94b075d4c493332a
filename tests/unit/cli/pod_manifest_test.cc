// SPDX-License-Identifier: Apache-2.0
#include "cli/pod_manifest.h"

#include <gtest/gtest.h>

#include "model/demand.h"

namespace aliquot::cli {
namespace {

constexpr std::string_view kYaml = R"(apiVersion: v1
kind: Pod
metadata:
  name: notebook
  annotations:
    aliquot.io/gpu-model: "T4"
spec:
  containers:
    - name: main
      resources:
        limits: {tencent.com/vcuda-core: 20, tencent.com/vcuda-memory: "15"}
)";

std::string ErrorOf(std::string_view text) {
  const auto pod = ParsePodManifest(text, "pod.yaml", {});
  return pod.ok() ? "no error" : pod.status().message();
}

TEST(PodManifest, ReadsYamlWithBareNumbers) {
  const auto pod = ParsePodManifest(kYaml, "pod.yaml", {});
  ASSERT_TRUE(pod.ok()) << pod.status().message();
  EXPECT_EQ(pod->key.ToString(), "default/notebook");
  ASSERT_NE(pod->Annotation(model::kGpuModelAnnotation), nullptr);
  const auto demand = model::DemandOf(*pod, {});
  ASSERT_TRUE(demand.ok()) << demand.status().message();
  EXPECT_EQ(demand->containers.front().core, 20);
  EXPECT_EQ(demand->containers.front().mib, 15 * 256);
}

TEST(PodManifest, ReadsJson) {
  const auto pod = ParsePodManifest(
      R"({"kind": "Pod", "metadata": {"name": "a", "namespace": "b"}, "spec": {"containers": []}})",
      "pod.json", {});
  ASSERT_TRUE(pod.ok()) << pod.status().message();
  EXPECT_EQ(pod->key.ToString(), "b/a");
}

TEST(PodManifest, KeepsWordsInQuotesAsText) {
  const auto pod = ParsePodManifest(
      "kind: Pod\nmetadata: {name: a, annotations: {aliquot.io/gpu-count: \"2\"}}\n", "p", {});
  ASSERT_TRUE(pod.ok()) << pod.status().message();
  EXPECT_EQ(*pod->Annotation(model::kGpuCountAnnotation), "2");
}

TEST(PodManifest, RefusesOtherKinds) {
  EXPECT_EQ(
      ErrorOf("kind: Deployment\n"),
      "pod.yaml: kind is Deployment; give the manifest of one Pod, for a workload that of its "
      "pod template");
  EXPECT_EQ(ErrorOf("metadata: {}\n"),
            "pod.yaml: kind is missing; give the manifest of one Pod, for a workload that of its "
            "pod template");
  EXPECT_EQ(ErrorOf("- a\n"), "pod.yaml: this is no object; give the manifest of one Pod");
}

TEST(PodManifest, NamesFileAndLineOfBrokenYaml) {
  EXPECT_EQ(ErrorOf("kind: Pod\nmetadata: [\n").rfind("pod.yaml:", 0), 0u);
  EXPECT_NE(ErrorOf("kind: Pod\nkind: Pod\n").find("pod.yaml:2"), std::string::npos);
}

TEST(PodManifest, NamesTheFieldOfAnotherType) {
  const std::string error = ErrorOf("kind: Pod\nspec: {containers: 5}\n");
  EXPECT_EQ(error.rfind("pod.yaml: the pod", 0), 0u) << error;
  EXPECT_NE(error.find("spec.containers"), std::string::npos) << error;
}

}  // namespace
}  // namespace aliquot::cli
