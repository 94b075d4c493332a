// SPDX-License-Identifier: Apache-2.0
#include "admission/rules/rule.h"

namespace aliquot::admission {
namespace {

using nlohmann::json;

// What the API server writes where a pod names no scheduler.
constexpr char kDefaultScheduler[] = "default-scheduler";

}  // namespace

// Where a kube-scheduler of ours runs beside the cluster's, only that one asks us for cards. A pod
// that names another scheduler means it.
std::optional<Refusal> SetScheduler(PodReview& review) {
  const std::string& wanted = review.options.scheduler_name;
  if (wanted.empty()) {
    return std::nullopt;
  }
  const json* present = Member(review.object, {"spec", "schedulerName"});
  if (present == nullptr || *present == "") {
    review.patch.Add("/spec/schedulerName", wanted);
  } else if (*present == kDefaultScheduler && wanted != kDefaultScheduler) {
    review.patch.Replace("/spec/schedulerName", wanted);
  }
  return std::nullopt;
}

}  // namespace aliquot::admission
