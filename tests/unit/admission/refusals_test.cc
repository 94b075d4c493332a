// SPDX-License-Identifier: Apache-2.0
// Each refusal of a GPU pod, with the sentence that its owner reads.
#include "admission/mutate.h"
#include "admission/rules/rule.h"
#include "tests/unit/admission/reviews.h"

namespace aliquot::admission {
namespace {

using nlohmann::json;

struct Answer {
  int code = 0;
  std::string reason;
  std::string sentence;
  friend bool operator==(const Answer& a, const Answer& b) {
    return a.code == b.code && a.reason == b.reason && a.sentence == b.sentence;
  }
  friend std::ostream& operator<<(std::ostream& out, const Answer& a) {
    return out << a.code << " " << a.reason << ": " << a.sentence;
  }
};

// The refusal; code 0 when the pod is allowed.
Answer Of(const json& pod) {
  const api::ReviewResponse response = Mutated(pod);
  return response.allowed ? Answer() : Answer{response.code, response.reason, response.message};
}
Answer Invalid(std::string sentence) { return {422, "Invalid", std::move(sentence)}; }
Answer Forbidden(std::string sentence) { return {403, "Forbidden", std::move(sentence)}; }

TEST(Refusals, CoreOver100MustBeAMultipleOf100) {
  EXPECT_EQ(Of(PodAsking("150", "15")),
            Invalid("container \"main\": tencent.com/vcuda-core is 150; above 100 use a multiple "
                    "of 100 (whole GPUs)"));
  EXPECT_EQ(Of(PodAsking("100", "")), Answer());
  EXPECT_EQ(Of(PodAsking("800", "")), Answer());
}

TEST(Refusals, AShareNeedsMemoryAndMemoryNeedsAShare) {
  EXPECT_EQ(
      Of(PodAsking("20", "")),
      Invalid(
          "container \"main\": tencent.com/vcuda-core is 20 without tencent.com/vcuda-memory; add "
          "tencent.com/vcuda-memory, 1 for each 256 MiB"));
  EXPECT_EQ(
      Of(PodAsking("", "15")),
      Invalid(
          "container \"main\": tencent.com/vcuda-memory is 15 without tencent.com/vcuda-core; add "
          "tencent.com/vcuda-core, 1 to 99 for a share of one GPU"));
}

TEST(Refusals, AmountsMustBeWholeAndPositive) {
  EXPECT_EQ(
      Of(PodAsking("0", "15")),
      Invalid(
          "container \"main\": tencent.com/vcuda-core is 0; leave it out, or ask for at least 1"));
  EXPECT_EQ(Of(PodAsking("-1", "15")),
            Invalid("container \"main\": tencent.com/vcuda-core is \"-1\", not a whole number of 0 "
                    "or more; write digits only"));
  EXPECT_EQ(Of(PodAsking("0.5", "15")),
            Invalid("container \"main\": tencent.com/vcuda-core is \"0.5\", not a whole number of "
                    "0 or more; write digits only"));
  EXPECT_EQ(Of(PodAsking("20", "9223372036854775808")),
            Invalid("container \"main\": tencent.com/vcuda-memory is 9223372036854775808, more "
                    "than any node has; ask for less"));
  EXPECT_EQ(Of(PodAsking("20", "9223372036854775807")),
            Invalid("container \"main\": tencent.com/vcuda-memory is 9223372036854775807, more "
                    "than any node has; ask for less"));
  // "1k" and "1e3" are Kubernetes' spelling of 1000: ten whole GPUs.
  EXPECT_EQ(Of(PodAsking("1k", "")), Answer());
  EXPECT_EQ(Of(PodAsking("1e3", "")), Answer());
  EXPECT_EQ(Of(PodAsking("1e2", "")), Answer());
}

TEST(Refusals, ResourcesThatLookLikeATypingError) {
  json pod = SharePod();
  pod["spec"]["containers"][0]["resources"]["limits"]["tencent.com/vcuda-memroy"] = "15";
  EXPECT_EQ(Of(pod),
            Invalid("container \"main\": resource tencent.com/vcuda-memroy is not known; use "
                    "tencent.com/vcuda-core and tencent.com/vcuda-memory"));
}

TEST(Refusals, TheCeiling) {
  EXPECT_EQ(Of(PodAnnotated("tencent.com/vcuda-core-limit", "10")),
            Invalid("annotation tencent.com/vcuda-core-limit is \"10\", below the share of 20 of "
                    "container \"main\"; use at "
                    "least that, or remove it"));
  EXPECT_EQ(Of(PodAnnotated("tencent.com/vcuda-core-limit", "fifty")),
            Invalid("annotation tencent.com/vcuda-core-limit is \"fifty\", not a whole percentage; "
                    "use 1 to 100"));
}

TEST(Refusals, AnnotationsThatLookLikeATypingError) {
  EXPECT_EQ(
      Of(PodAnnotated("aliquot.io/gpu-cout", "2")),
      Invalid("annotation aliquot.io/gpu-cout is not known; did you mean aliquot.io/gpu-count?"));
  EXPECT_EQ(Of(PodAnnotated("tencent.com/vcuda-core-limits", "50")),
            Invalid("annotation tencent.com/vcuda-core-limits is not known; did you mean "
                    "tencent.com/vcuda-core-limit?"));
  EXPECT_EQ(Of(PodAnnotated("aliquot.io/something-else", "2")),
            Invalid("annotation aliquot.io/something-else is not known; remove it"));
  EXPECT_EQ(Of(PodAnnotated("tencent.com/somebody-elses", "x")), Answer());
}

TEST(Refusals, MalformedAnnotationValues) {
  EXPECT_EQ(Of(PodAnnotated("aliquot.io/numa", "sometimes")),
            Invalid("annotation aliquot.io/numa is \"sometimes\"; use preferred or required"));
  EXPECT_EQ(Of(PodAnnotated("aliquot.io/link", "required")), Answer());
  EXPECT_EQ(
      Of(PodAnnotated("aliquot.io/isolation", "strong")),
      Invalid("annotation aliquot.io/isolation is \"strong\"; use auto, driver, library, mps, "
              "mig or none"));
  EXPECT_EQ(Of(PodAnnotated("aliquot.io/gpu-count", "3")),
            Invalid("annotation aliquot.io/gpu-count is \"3\"; it does not divide core 20 and "
                    "memory 15 of container "
                    "\"main\": use a number that divides both"));
}

TEST(Refusals, PrivilegedContainersWithAGpu) {
  json pod = SharePod();
  pod["spec"]["containers"][0]["securityContext"]["privileged"] = true;
  EXPECT_EQ(Of(pod), Forbidden("container \"main\": securityContext.privileged is true, which "
                               "opens every GPU of the node; "
                               "remove it, or ask for no GPU"));
  pod["spec"]["containers"][0]["securityContext"]["privileged"] = false;
  EXPECT_EQ(Of(pod), Answer());
  pod = SharePod();
  pod["spec"]["initContainers"] = pod["spec"]["containers"];
  pod["spec"]["initContainers"][0]["name"] = "prep";
  pod["spec"]["initContainers"][0]["securityContext"]["privileged"] = true;
  EXPECT_EQ(Of(pod).code, 403);
  // A neighbour without a GPU is not our business.
  pod["spec"]["initContainers"][0].erase("resources");
  EXPECT_EQ(Of(pod), Answer());
}

TEST(Refusals, APresetNode) {
  json pod = SharePod();
  pod["spec"]["nodeName"] = "n1";
  EXPECT_EQ(Of(pod), Forbidden("spec.nodeName is \"n1\", which bypasses the scheduler that chooses "
                               "the GPU; remove it, or "
                               "use spec.nodeSelector with kubernetes.io/hostname"));
}

TEST(Refusals, MoreThanSixteenGpuContainers) {
  json pod = SharePod();
  const auto grow_to = [&](int count) {
    json container = pod["spec"]["containers"][0];
    pod["spec"]["containers"] = json::array();
    for (int i = 0; i < count; ++i) {
      container["name"] = "c" + std::to_string(i);
      pod["spec"]["containers"].push_back(container);
    }
  };
  grow_to(16);
  EXPECT_EQ(Of(pod), Answer());
  grow_to(17);
  EXPECT_EQ(Of(pod), Invalid("the pod has 17 GPU containers; use at most 16"));
  grow_to(1000);
  EXPECT_EQ(Of(pod), Invalid("the pod has 1000 GPU containers; use at most 16"));
}

TEST(Refusals, ResourcesWhereNoShareCanBe) {
  json pod = SharePod();
  pod["spec"]["resources"]["limits"]["tencent.com/vcuda-core"] = "20";
  EXPECT_EQ(Of(pod), Invalid("spec.resources names tencent.com/vcuda-core for the whole pod; set "
                             "it on the container that "
                             "uses the GPU"));
  pod = SharePod();
  pod["spec"]["ephemeralContainers"] = json::array(
      {{{"name", "debug"}, {"resources", {{"requests", {{"tencent.com/vcuda-core", "1"}}}}}}});
  EXPECT_EQ(Of(pod), Invalid("spec.ephemeralContainers names tencent.com/vcuda-core; an ephemeral "
                             "container can't hold a "
                             "GPU: remove it"));
}

TEST(Refusals, HostileTextInASentenceStaysOnOneShortLine) {
  json pod = SharePod();
  pod["spec"]["nodeName"] = "n1\n\x1b[31m" + std::string(10000, 'x');
  const Answer answer = Of(pod);
  EXPECT_EQ(answer.sentence.find('\n'), std::string::npos);
  EXPECT_EQ(answer.sentence.find('\x1b'), std::string::npos);
  EXPECT_LT(answer.sentence.size(), 400u);
}

TEST(Rules, ChecksComeBeforeChangesAndEachHasItsName) {
  std::vector<std::string_view> names;
  for (const Rule& rule : Rules()) {
    names.push_back(rule.name);
  }
  EXPECT_EQ(names,
            (std::vector<std::string_view>{
                "preset-node", "unknown-annotations", "misplaced-resources", "demand", "privileged",
                "annotation-values", "ignored-amounts", "large-shares", "host-paths",
                "strip-own-keys", "label", "hide-devices", "scheduler", "toleration"}));
}

}  // namespace
}  // namespace aliquot::admission
