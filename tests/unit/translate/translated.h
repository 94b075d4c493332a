// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/unit/admission/reviews.h"
#include "translate/translate.h"

// Pods of other schemes, and what becomes of them, for the tests of this room.

namespace aliquot::translate {

using nlohmann::json;

// A pod with one container "main" that has these limits, and equal requests as the API server
// writes them.
inline json PodWith(const json& limits) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"name", "p"}, {"namespace", "ns"}}},
          {"spec",
           {{"containers",
             json::array({{{"name", "main"},
                           {"image", "i"},
                           {"resources", {{"limits", limits}, {"requests", limits}}}}})}}}};
}

inline TranslateOptions CardOf(std::int64_t mib) {
  TranslateOptions options;
  options.card_mib = mib;
  return options;
}

// The translated pod. It must pass our own webhook, and be left alone by a second translation.
inline json Translated(const json& pod, Scheme scheme, const TranslateOptions& options = {},
                       std::vector<std::string>* notes = nullptr) {
  const auto translation = TranslatePod(pod, scheme, options);
  EXPECT_TRUE(translation.ok()) << translation.status().message();
  if (!translation.ok()) {
    return {};
  }
  if (notes != nullptr) {
    *notes = translation->notes;
  }
  const json translated = pod.patch(translation->patch);
  const api::ReviewResponse mutated = admission::Mutated(translated);
  EXPECT_TRUE(mutated.allowed) << mutated.message << "\n" << translated.dump(1);
  const auto again = TranslatePod(translated, scheme, options);
  EXPECT_TRUE(again.ok()) << again.status().message();
  if (again.ok()) {
    EXPECT_TRUE(again->patch.empty()) << again->patch;
  }
  return translated;
}

inline std::string Refusal(const json& pod, Scheme scheme, const TranslateOptions& options = {}) {
  const auto translation = TranslatePod(pod, scheme, options);
  EXPECT_FALSE(translation.ok()) << translation->patch;
  return translation.status().message();
}

inline json LimitsOf(const json& pod) {
  return pod["spec"]["containers"][0]["resources"]["limits"];
}
inline json AnnotationsOf(const json& pod) {
  return pod["metadata"].value("annotations", json::object());
}
inline json Amounts(const std::string& core, const std::string& memory) {
  return {{"tencent.com/vcuda-core", core}, {"tencent.com/vcuda-memory", memory}};
}
inline bool Says(const std::vector<std::string>& notes, const std::string& part) {
  return std::any_of(notes.begin(), notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

}  // namespace aliquot::translate
