// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "admission/mutate.h"
#include "admission/patch.h"
#include "base/status.h"
#include "model/demand.h"
#include "model/pod.h"

namespace aliquot::admission {

// The pod on its way through the rules: what it is, and what the rules have said so far. One per
// request.
struct PodReview {
  const MutateOptions& options;
  const nlohmann::json& object;  // has passed CheckPodShape
  model::Pod pod;
  model::PodDemand demand;  // filled by the rule "demand"

  Patch patch;
  std::vector<std::string> warnings;
};

// The member of an object, or nullptr for none, for null, and when `value` is no object.
const nlohmann::json* Member(const nlohmann::json& value, std::string_view key);
// A chain of members, such as {"spec", "nodeName"}.
const nlohmann::json* Member(const nlohmann::json& value,
                             std::initializer_list<std::string_view> keys);

// A list of containers of the spec and where it stands.
struct ContainerList {
  const nlohmann::json* containers;  // an array
  std::string path;                  // "/spec/containers"
};
// spec.initContainers and spec.containers, those that exist.
std::vector<ContainerList> ContainerLists(const nlohmann::json& pod);
// `container "main"`, for sentences.
std::string ContainerLabel(const nlohmann::json& container);

// Whether every part of the pod that the rules touch has the type that Kubernetes gives it. Rules
// rely on it. The error names the part.
Status CheckPodShape(const nlohmann::json& pod);

}  // namespace aliquot::admission
