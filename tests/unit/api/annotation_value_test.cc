// SPDX-License-Identifier: Apache-2.0
#include "api/annotation_value.h"

#include <gtest/gtest.h>

#include "model/names.h"

namespace aliquot::api {
namespace {

model::Pod PodWith(std::string_view key, const std::string& value, std::string core = "20") {
  model::Pod pod;
  pod.annotations[std::string(key)] = value;
  model::GpuContainer container;
  container.name = "main";
  container.quantities = {{"tencent.com/vcuda-core", std::move(core)},
                          {"tencent.com/vcuda-memory", "16"}};
  pod.gpu_containers.push_back(container);
  return pod;
}

Result<std::vector<std::string>> Check(const model::Pod& pod) {
  return CheckUserAnnotations(pod, *model::DemandOf(pod, model::ResourceNames()));
}

// The warning or the refusal.
std::string Answer(std::string_view key, const std::string& value, const std::string& core = "20") {
  const auto warnings = Check(PodWith(key, value, core));
  if (!warnings.ok()) {
    return warnings.status().message();
  }
  return warnings->empty() ? "" : (*warnings)[0];
}

TEST(CheckUserAnnotations, WhatHasNoEffectYetIsSaid) {
  const std::pair<std::string_view, const char*> good[] = {
      {model::kGpuCountAnnotation, "4"},
      {model::kGpuModelAnnotation, "NVIDIA A100,!NVIDIA T4"},
      {model::kGpuUuidAnnotation, "!GPU-8f2a"},
      {model::kPlacementAnnotation, "binpack"},
      {model::kPlacementAnnotation, "spread"},
      {model::kPlacementAnnotation, "topology"},
      {model::kLinkAnnotation, "preferred"},
      {model::kNumaAnnotation, "preferred"},
      {model::kIsolationAnnotation, "driver"},
      {model::kIsolationAnnotation, "library"},
      {model::kIsolationAnnotation, "mps"},
      {model::kIsolationAnnotation, "mig"},
      {model::kIsolationAnnotation, "none"}};
  for (const auto& [key, value] : good) {
    EXPECT_EQ(Answer(key, value),
              "annotation " + std::string(key) + " has no effect in this version")
        << value;
  }
}

TEST(CheckUserAnnotations, TheDefaultIsolationNeedsNoWarning) {
  EXPECT_EQ(Answer(model::kIsolationAnnotation, "auto"), "");
}

TEST(CheckUserAnnotations, RequiredIsRefusedUntilItCanBeHeld) {
  EXPECT_EQ(Answer(model::kLinkAnnotation, "required"),
            "annotation aliquot.io/link is \"required\"; this version can't hold to that: use "
            "preferred, or remove it");
  EXPECT_EQ(Answer(model::kNumaAnnotation, "required"),
            "annotation aliquot.io/numa is \"required\"; this version can't hold to that: use "
            "preferred, or remove it");
}

TEST(CheckUserAnnotations, MalformedValuesAreRefused) {
  EXPECT_EQ(Answer(model::kPlacementAnnotation, "Binpack"),
            "annotation aliquot.io/placement is \"Binpack\"; use binpack, spread or topology");
  EXPECT_EQ(Answer(model::kLinkAnnotation, ""),
            "annotation aliquot.io/link is \"\"; use preferred or required");
  EXPECT_EQ(
      Answer(model::kIsolationAnnotation, "strong"),
      "annotation aliquot.io/isolation is \"strong\"; use auto, driver, library, mps, mig or none");
  EXPECT_EQ(Answer(model::kGpuModelAnnotation, "A100,,T4"),
            "annotation aliquot.io/gpu-model is \"A100,,T4\"; list model names separated by "
            "commas, ! before one to "
            "exclude it");
  EXPECT_EQ(Answer(model::kGpuUuidAnnotation, "GPU a"),
            "annotation aliquot.io/gpu-uuid is \"GPU a\"; list card UUIDs separated by commas, ! "
            "before one to exclude "
            "it");
  EXPECT_NE(Answer(model::kGpuUuidAnnotation, std::string(1000, ',')), "");
}

TEST(CheckUserAnnotations, GpuCountMustDivideEveryShare) {
  for (const char* bad : {"0", "17", "-1", "two", "1.5", ""}) {
    EXPECT_EQ(Answer(model::kGpuCountAnnotation, bad), "annotation aliquot.io/gpu-count is \"" +
                                                           std::string(bad) +
                                                           "\"; use a whole number from 1 to 16");
  }
  EXPECT_EQ(Answer(model::kGpuCountAnnotation, "3"),
            "annotation aliquot.io/gpu-count is \"3\"; it does not divide core 20 and memory 16 of "
            "container \"main\": use "
            "a number that divides both");
  EXPECT_EQ(Answer(model::kGpuCountAnnotation, "2", "200"),
            "annotation aliquot.io/gpu-count is \"2\"; it divides shares, but the demand of "
            "container \"main\" is whole "
            "GPUs: remove it");
}

TEST(AnnotationKeys, OursAndTheUsers) {
  EXPECT_TRUE(IsOwnPodAnnotation("aliquot.io/allocation"));
  EXPECT_TRUE(IsOwnPodAnnotation("aliquot.io/allocation-signature"));
  EXPECT_TRUE(IsOwnPodAnnotation("tencent.com/predicate-gpu-idx-0"));
  EXPECT_TRUE(IsOwnPodAnnotation("tencent.com/gpu-assigned"));
  EXPECT_FALSE(IsOwnPodAnnotation("aliquot.io/numa"));
  EXPECT_TRUE(IsUserPodAnnotation("tencent.com/vcuda-core-limit"));
  EXPECT_FALSE(IsUserPodAnnotation("aliquot.io/numas"));
}

}  // namespace
}  // namespace aliquot::api
