// SPDX-License-Identifier: Apache-2.0
#include "admission/mutate.h"

#include <utility>

#include "admission/pod_review.h"
#include "admission/rules/rule.h"
#include "api/pod_codec.h"
#include "model/names.h"

namespace aliquot::admission {
namespace {

using nlohmann::json;

constexpr char kMirrorAnnotation[] = "kubernetes.io/config.mirror";

// The kubelet makes a mirror pod for a static pod that it runs already.
bool IsMirror(const json& object) {
  return Member(object, {"metadata", "annotations", kMirrorAnnotation}) != nullptr;
}

// A mirror pod's label would bring a pod that holds no cards into our watch.
void RemoveLabel(PodReview& review) {
  if (Member(review.object, {"metadata", "labels", model::kGpuLabel}) != nullptr) {
    review.patch.Remove(Patch::Member("/metadata/labels", model::kGpuLabel));
    review.warnings.push_back("label " + std::string(model::kGpuLabel) +
                              " is removed; only Aliquot writes it");
  }
}

api::ReviewResponse Allowed(PodReview review) {
  api::ReviewResponse response;
  response.patch = review.patch.operations();
  response.warnings = std::move(review.warnings);
  return response;
}

api::ReviewResponse Refused(Refusal refusal, std::vector<std::string> warnings) {
  api::ReviewResponse response;
  response.allowed = false;
  response.code = refusal.code;
  response.reason = std::move(refusal.reason);
  response.message = std::move(refusal.sentence);
  response.warnings = std::move(warnings);
  return response;
}

}  // namespace

bool IsPodCreation(const api::ReviewRequest& request) {
  return request.operation == "CREATE" && request.resource == "pods" &&
         request.subresource.empty() && request.kind == "Pod" && request.group.empty();
}

Result<api::ReviewResponse> MutatePod(const api::ReviewRequest& request,
                                      const MutateOptions& options) {
  if (!IsPodCreation(request)) {
    return api::ReviewResponse();
  }
  if (Status status = CheckPodShape(request.object); !status.ok()) {
    return status;
  }
  // The object is at most kMaxRequestDepth deep, so that writing it out is safe.
  Result<model::Pod> pod = api::ParsePod(request.object.dump(), options.names);
  if (!pod.ok()) {
    return pod.status();
  }
  if (!pod->asks_for_gpu()) {
    return api::ReviewResponse();
  }
  PodReview review{options, request.object, *std::move(pod), {}, {}, {}};
  if (IsMirror(request.object)) {
    StripOwnKeys(review);
    RemoveLabel(review);
    return Allowed(std::move(review));
  }
  for (const Rule& rule : Rules()) {
    if (std::optional<Refusal> refusal = rule.apply(review)) {
      return Refused(*std::move(refusal), std::move(review.warnings));
    }
  }
  return Allowed(std::move(review));
}

}  // namespace aliquot::admission
