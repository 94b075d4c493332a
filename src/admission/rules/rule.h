// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admission/pod_review.h"

namespace aliquot::admission {

// A refusal as the client sees it.
struct Refusal {
  int code = 422;
  std::string reason = "Invalid";
  std::string sentence;

  // A value that is wrong.
  static Refusal Invalid(std::string sentence) { return {422, "Invalid", std::move(sentence)}; }
  // Something that a GPU pod may not do.
  static Refusal Forbidden(std::string sentence) { return {403, "Forbidden", std::move(sentence)}; }
};

// One rule: refuses, or adds to the review's patch and warnings. Pure; the same pod gets the same
// answer.
using RuleFunction = std::optional<Refusal> (*)(PodReview& review);

struct Rule {
  std::string_view name;
  RuleFunction apply;
};

// In the order in which they are applied; the first refusal ends it. Checks come before changes.
const std::vector<Rule>& Rules();

// The rules, one a file.
std::optional<Refusal> RefusePresetNode(PodReview& review);          // preset_node.cc
std::optional<Refusal> RefuseUnknownAnnotations(PodReview& review);  // unknown_annotations.cc
std::optional<Refusal> RefuseMisplacedResources(PodReview& review);  // misplaced_resources.cc
std::optional<Refusal> CheckDemand(PodReview& review);               // demand.cc
std::optional<Refusal> RefusePrivileged(PodReview& review);          // privileged.cc
std::optional<Refusal> CheckAnnotationValues(PodReview& review);     // annotation_values.cc
std::optional<Refusal> WarnIgnoredAmounts(PodReview& review);        // ignored_amounts.cc
std::optional<Refusal> WarnLargeShares(PodReview& review);           // large_shares.cc
std::optional<Refusal> WarnHostPaths(PodReview& review);             // host_paths.cc
std::optional<Refusal> StripOwnKeys(PodReview& review);              // strip_own_keys.cc
std::optional<Refusal> SetLabel(PodReview& review);                  // label.cc
std::optional<Refusal> HideDevices(PodReview& review);               // hide_devices.cc
std::optional<Refusal> SetScheduler(PodReview& review);              // scheduler.cc
std::optional<Refusal> AddToleration(PodReview& review);             // toleration.cc

}  // namespace aliquot::admission
