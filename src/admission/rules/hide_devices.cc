// SPDX-License-Identifier: Apache-2.0
#include "admission/rules/rule.h"
#include "base/strings.h"

namespace aliquot::admission {
namespace {

using nlohmann::json;

constexpr char kVariable[] = "NVIDIA_VISIBLE_DEVICES";
// NVIDIA's container runtime injects nothing for this value.
constexpr char kHidden[] = "void";

bool IsHidden(const json& variable) {
  const json* value = Member(variable, "value");
  return value != nullptr && *value == kHidden && Member(variable, "valueFrom") == nullptr;
}

std::string Described(const json& variable) {
  const json* value = Member(variable, "value");
  if (value != nullptr && value->is_string()) {
    return std::string(kVariable) + "=" + Printable(value->get_ref<const std::string&>(), 40);
  }
  return kVariable;
}

void HideIn(PodReview& review, const json& container, const std::string& path) {
  const json hidden = {{"name", kVariable}, {"value", kHidden}};
  const json* env = Member(container, "env");
  if (env == nullptr) {
    review.patch.Add(path + "/env", json::array({hidden}));
    return;
  }
  bool present = false;
  for (std::size_t i = 0; i < env->size(); ++i) {
    const json& variable = (*env)[i];
    if (variable["name"] != kVariable) {
      continue;
    }
    present = true;
    if (!IsHidden(variable)) {
      review.patch.Replace(path + "/env/" + std::to_string(i), hidden);
      review.warnings.push_back(ContainerLabel(container) + ": " + Described(variable) +
                                " is replaced by " + kHidden +
                                "; the container gets exactly the GPUs it asks for");
    }
  }
  if (!present) {
    review.patch.Add(path + "/env/-", hidden);
  }
}

}  // namespace

// An image of CUDA's says NVIDIA_VISIBLE_DEVICES=all, which would open every card of the node. An
// explicit variable beats the image's and envFrom's, so each container of the pod gets one.
std::optional<Refusal> HideDevices(PodReview& review) {
  for (const ContainerList& list : ContainerLists(review.object)) {
    for (std::size_t i = 0; i < list.containers->size(); ++i) {
      HideIn(review, (*list.containers)[i], list.path + "/" + std::to_string(i));
    }
  }
  return std::nullopt;
}

}  // namespace aliquot::admission
