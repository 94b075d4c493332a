// SPDX-License-Identifier: Apache-2.0
#include "admission/stamp.h"

#include <algorithm>
#include <utility>

#include "admission/patch.h"
#include "admission/pod_review.h"
#include "api/annotation_value.h"
#include "base/strings.h"
#include "model/names.h"

namespace aliquot::admission {
namespace {

using nlohmann::json;

constexpr char kAnnotationsPath[] = "/metadata/annotations";
constexpr char kLabelsPath[] = "/metadata/labels";

bool IsBindingCreation(const api::ReviewRequest& request) {
  const bool on_pod = request.resource == "pods" && request.subresource == "binding";
  const bool legacy = request.resource == "bindings" && request.subresource.empty();
  return request.operation == "CREATE" && request.kind == "Binding" && request.group.empty() &&
         (on_pod || legacy);
}

Status Wrong(const std::string& what) {
  return InvalidArgument("the Binding: " + what + "; send the Binding as the API server does");
}

struct BindingTarget {
  model::PodKey pod;
  std::string uid;
  std::string node;  // empty when the target is no node
};

// Copies the text at `keys`; false when there is something else.
bool ReadText(const json& object, std::initializer_list<std::string_view> keys, std::string& text) {
  const json* value = Member(object, keys);
  if (value == nullptr) {
    return true;
  }
  if (!value->is_string()) {
    return false;
  }
  text = value->get<std::string>();
  return true;
}

Result<BindingTarget> ReadBinding(const api::ReviewRequest& request) {
  const json& object = request.object;
  const json* metadata = Member(object, "metadata");
  if (metadata == nullptr || !metadata->is_object()) {
    return Wrong("metadata is not an object");
  }
  for (const char* map : {"annotations", "labels"}) {
    const json* value = Member(*metadata, map);
    if (value != nullptr && !value->is_object()) {
      return Wrong(std::string("metadata.") + map + " is not an object");
    }
  }
  BindingTarget target;
  target.pod = {request.namespace_name, request.name};
  std::string kind;
  if (!ReadText(object, {"metadata", "name"}, target.pod.name) ||
      !ReadText(object, {"metadata", "uid"}, target.uid) ||
      !ReadText(object, {"target", "name"}, target.node) ||
      !ReadText(object, {"target", "kind"}, kind)) {
    return Wrong("a name, uid or kind is not a string");
  }
  const bool names_agree = request.name.empty() || request.name == target.pod.name;
  if (!names_agree || !(kind.empty() || kind == "Node")) {
    target.node.clear();  // the API server refuses it; nothing may be reserved for it
  }
  return target;
}

bool IsScheduler(const api::ReviewRequest& request, const StampOptions& options) {
  return std::find(options.scheduler_users.begin(), options.scheduler_users.end(),
                   request.username) != options.scheduler_users.end();
}

// The first annotation of ours that the Binding brings, or "".
std::string ForgedKey(const json& object) {
  if (const json* annotations = Member(object, {"metadata", "annotations"})) {
    for (const auto& [key, value] : annotations->items()) {
      if (api::IsOwnPodAnnotation(key)) {
        return key;
      }
    }
  }
  return {};
}

api::ReviewResponse Denied(std::string sentence) {
  api::ReviewResponse response;
  response.allowed = false;
  response.code = 403;
  response.reason = "Forbidden";
  response.message = std::move(sentence);
  return response;
}

// Keys of ours that the Binding brings, less those that `given` sets anyway.
void StripForged(const json& object, const api::Annotations& given, Patch& patch,
                 std::vector<std::string>& warnings) {
  if (const json* annotations = Member(object, {"metadata", "annotations"})) {
    for (const auto& [key, value] : annotations->items()) {
      if (!api::IsOwnPodAnnotation(key)) {
        continue;
      }
      if (given.find(key) == given.end()) {
        patch.Remove(Patch::Member(kAnnotationsPath, key));
      }
      warnings.push_back("annotation " + Printable(key) +
                         " is removed from the Binding; only Aliquot writes it");
    }
  }
  // Newer API servers copy a Binding's labels too, which would take the pod out of our watch.
  const json* labels = Member(object, {"metadata", "labels"});
  if (labels != nullptr && labels->contains(model::kGpuLabel)) {
    patch.Remove(Patch::Member(kLabelsPath, model::kGpuLabel));
    warnings.push_back("label " + std::string(model::kGpuLabel) +
                       " is removed from the Binding; only Aliquot writes it");
  }
}

}  // namespace

Result<api::ReviewResponse> StampBinding(const api::ReviewRequest& request,
                                         const StampOptions& options, StampLedger& ledger) {
  api::ReviewResponse response;
  if (!IsBindingCreation(request)) {
    return response;
  }
  if (!options.own_username.empty() && request.username == options.own_username) {
    return response;
  }
  const Result<BindingTarget> target = ReadBinding(request);
  if (!target.ok()) {
    return target.status();
  }
  const bool by_scheduler = IsScheduler(request, options);
  if (const std::string key = by_scheduler ? "" : ForgedKey(request.object); !key.empty()) {
    return Denied("the Binding has annotation " + Printable(key) + ", and user " +
                  Printable(request.username) +
                  " is no configured scheduler; send it without, Aliquot records the GPUs itself "
                  "(configuration admission.schedulerUsers names schedulers)");
  }
  StampDecision decision;
  if (!target->node.empty()) {
    decision = ledger.Decide(target->pod, target->uid, target->node, request.dry_run);
  }
  if (decision.outcome == StampDecision::Outcome::kDenied) {
    return Denied(std::move(decision.reason));
  }
  if (!by_scheduler) {
    decision.annotations.clear();
  }
  if (Status status = api::CheckAnnotations(decision.annotations); !status.ok()) {
    return Internal(status.message());
  }
  Patch patch;
  StripForged(request.object, decision.annotations, patch, response.warnings);
  const json* present = Member(request.object, {"metadata", "annotations"});
  bool map_added = false;
  for (const auto& [key, value] : decision.annotations) {
    SetInMap(patch, kAnnotationsPath, present, map_added, key, value);
  }
  response.patch = patch.operations();
  return response;
}

}  // namespace aliquot::admission
