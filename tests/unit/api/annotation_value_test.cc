// SPDX-License-Identifier: Apache-2.0
#include "api/annotation_value.h"

#include <gtest/gtest.h>

#include "model/names.h"

namespace aliquot::api {
namespace {

// The warning or the refusal.
std::string AnswerTo(const std::string& isolation) {
  model::Pod pod;
  pod.annotations[std::string(model::kIsolationAnnotation)] = isolation;
  const auto warnings = CheckIsolation(pod);
  if (!warnings.ok()) {
    return warnings.status().message();
  }
  return warnings->empty() ? "" : (*warnings)[0];
}

TEST(CheckIsolation, WhatHasNoEffectYetIsSaid) {
  for (const char* word : {"mps", "mig"}) {
    EXPECT_EQ(AnswerTo(word), "annotation aliquot.io/isolation has no effect in this version")
        << word;
  }
}

TEST(CheckIsolation, WhatHasItsEffectNeedsNoWarning) {
  for (const char* word : {"auto", "driver", "library", "none"}) {
    EXPECT_EQ(AnswerTo(word), "") << word;
  }
  EXPECT_TRUE(CheckIsolation(model::Pod())->empty());
}

TEST(CheckIsolation, AnotherWordIsRefused) {
  EXPECT_EQ(
      AnswerTo("strong"),
      "annotation aliquot.io/isolation is \"strong\"; use auto, driver, library, mps, mig or none");
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
