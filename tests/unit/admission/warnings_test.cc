// SPDX-License-Identifier: Apache-2.0
// Each warning, and what is done besides.
#include "tests/unit/admission/reviews.h"

namespace aliquot::admission {
namespace {

using nlohmann::json;

// The only warning of a pod that is allowed.
std::string OnlyWarning(const json& pod, const MutateOptions& options = MutateOptions()) {
  const api::ReviewResponse response = Mutated(pod, options);
  EXPECT_TRUE(response.allowed) << response.message;
  EXPECT_LE(response.warnings.size(), 1u);
  return response.warnings.empty() ? "" : response.warnings[0];
}

TEST(Warnings, AShareLargerThanAnyCardNowKnown) {
  MutateOptions options;
  std::optional<std::int64_t> largest = 81920;
  options.largest_card_mib = [&] { return largest; };
  EXPECT_EQ(OnlyWarning(PodAsking("50", "400"), options),
            "container \"main\" asks for 102400 MiB on one GPU, more than any card known now; the "
            "largest has 81920 MiB");
  EXPECT_EQ(OnlyWarning(PodAsking("50", "320"), options), "");
  largest.reset();
  EXPECT_EQ(OnlyWarning(PodAsking("50", "400"), options), "");
}

TEST(Warnings, MemoryOnWholeGpus) {
  EXPECT_EQ(OnlyWarning(PodAsking("200", "32")),
            "container \"main\": tencent.com/vcuda-memory is ignored for whole GPUs, which come "
            "with all their memory");
}

TEST(Warnings, TheCeilingClippedOrIgnored) {
  EXPECT_EQ(OnlyWarning(PodAnnotated("tencent.com/vcuda-core-limit", "250")),
            "annotation tencent.com/vcuda-core-limit is 250; it is taken as 100");
  EXPECT_EQ(OnlyWarning(PodAnnotated("tencent.com/vcuda-core-limit", "80")), "");
  json whole = PodAsking("100", "");
  whole["metadata"]["annotations"]["tencent.com/vcuda-core-limit"] = "80";
  EXPECT_EQ(
      OnlyWarning(whole),
      "container \"main\": annotation tencent.com/vcuda-core-limit is ignored for whole GPUs");
}

TEST(Warnings, AnnotationsWithoutEffectYet) {
  EXPECT_EQ(OnlyWarning(PodAnnotated("aliquot.io/isolation", "mps")),
            "annotation aliquot.io/isolation has no effect in this version");
  for (const char* key : {"aliquot.io/link", "aliquot.io/numa"}) {
    for (const char* value : {"preferred", "required"}) {
      EXPECT_EQ(OnlyWarning(PodAnnotated(key, value)), "") << key << value;
    }
  }
  EXPECT_EQ(OnlyWarning(PodAnnotated("aliquot.io/placement", "binpack")), "");
  EXPECT_EQ(OnlyWarning(PodAnnotated("aliquot.io/gpu-model", "A100")), "");
}

TEST(Warnings, AReplacedVariable) {
  json pod = SharePod();
  pod["spec"]["containers"][0]["env"] =
      json::array({{{"name", "NVIDIA_VISIBLE_DEVICES"}, {"value", "all"}}});
  EXPECT_EQ(
      OnlyWarning(pod),
      "container \"main\": NVIDIA_VISIBLE_DEVICES=all is replaced by void; the container gets "
      "exactly the GPUs it asks for");
  const json hidden = json::parse(R"([{"name":"NVIDIA_VISIBLE_DEVICES","value":"void"}])");
  EXPECT_EQ(Patched(pod, Mutated(pod))["spec"]["containers"][0]["env"], hidden);

  pod["spec"]["containers"][0]["env"] = json::parse(
      R"([{"name":"NVIDIA_VISIBLE_DEVICES","valueFrom":{"configMapKeyRef":{"name":"c","key":"k"}}}])");
  EXPECT_EQ(
      OnlyWarning(pod),
      "container \"main\": NVIDIA_VISIBLE_DEVICES is replaced by void; the container gets exactly "
      "the GPUs it asks for");
  EXPECT_EQ(Patched(pod, Mutated(pod))["spec"]["containers"][0]["env"], hidden);
}

TEST(Warnings, OurAnnotationsAreStrippedOnCreation) {
  for (const char* key :
       {"aliquot.io/allocation", "aliquot.io/allocation-signature", "tencent.com/predicate-node",
        "tencent.com/predicate-time", "tencent.com/predicate-gpu-idx-0", "tencent.com/gpu-assigned",
        "aliquot.io/requeued"}) {
    const json pod = PodAnnotated(key, "x");
    EXPECT_EQ(OnlyWarning(pod),
              "annotation " + std::string(key) + " is removed; only Aliquot writes it");
    EXPECT_TRUE(Patched(pod, Mutated(pod))["metadata"]["annotations"].empty());
  }
}

TEST(Warnings, APresetLabelIsCorrected) {
  json pod = SharePod();
  pod["metadata"]["labels"] = {{"aliquot.io/gpu", "false"}, {"app", "a"}};
  EXPECT_EQ(OnlyWarning(pod), "label aliquot.io/gpu is set to true; only Aliquot writes it");
  EXPECT_EQ(Patched(pod, Mutated(pod))["metadata"]["labels"],
            json::parse(R"({"aliquot.io/gpu":"true","app":"a"})"));
}

TEST(Warnings, HostPathsIntoOurOrTheKubeletsDirectories) {
  const auto warning = [](const std::string& path) {
    json pod = SharePod();
    pod["spec"]["volumes"] = json::array({{{"name", "v"}, {"hostPath", {{"path", path}}}}});
    return OnlyWarning(pod);
  };
  const std::string tail = ", where the node keeps what holds GPU shares apart";
  EXPECT_EQ(warning("/run/aliquot/grants"),
            "hostPath /run/aliquot/grants reaches /run/aliquot" + tail);
  EXPECT_EQ(warning("/var/lib/kubelet/"),
            "hostPath /var/lib/kubelet reaches /var/lib/kubelet" + tail);
  EXPECT_EQ(warning("/"), "hostPath / reaches /run/aliquot" + tail);
  EXPECT_EQ(warning("/var/lib"), "hostPath /var/lib reaches /var/lib/aliquot" + tail);
  EXPECT_EQ(warning("/data//../run/./aliquot"),
            "hostPath /run/aliquot reaches /run/aliquot" + tail);
  EXPECT_EQ(warning("/data"), "");
  EXPECT_EQ(warning("/run/aliquot-other"), "");
}

}  // namespace
}  // namespace aliquot::admission
