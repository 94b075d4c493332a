// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "admission/mutate.h"

// Pods and reviews for the tests of this room.

namespace aliquot::admission {

// A pod with one container "main" that asks for a fifth of a GPU.
inline nlohmann::json SharePod() {
  return nlohmann::json::parse(R"({
      "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "ns"},
      "spec": {"containers": [{"name": "main", "image": "i", "resources": {
          "limits": {"tencent.com/vcuda-core": "20", "tencent.com/vcuda-memory": "15"},
          "requests": {"tencent.com/vcuda-core": "20", "tencent.com/vcuda-memory": "15"}}}]}})");
}

// The same with other amounts; an empty one is left out.
inline nlohmann::json PodAsking(const std::string& core, const std::string& memory) {
  nlohmann::json pod = SharePod();
  nlohmann::json limits = nlohmann::json::object();
  if (!core.empty()) {
    limits["tencent.com/vcuda-core"] = core;
  }
  if (!memory.empty()) {
    limits["tencent.com/vcuda-memory"] = memory;
  }
  pod["spec"]["containers"][0]["resources"] = {{"limits", limits}};
  return pod;
}

inline nlohmann::json PodAnnotated(const std::string& key, const std::string& value) {
  nlohmann::json pod = SharePod();
  pod["metadata"]["annotations"][key] = value;
  return pod;
}

inline api::ReviewRequest Creation(nlohmann::json pod) {
  api::ReviewRequest request;
  request.uid = "review-1";
  request.version = "v1";
  request.kind = "Pod";
  request.resource = "pods";
  request.namespace_name = "ns";
  request.name = "p";
  request.operation = "CREATE";
  request.username = "alice";
  request.object = std::move(pod);
  return request;
}

inline api::ReviewResponse Mutated(const nlohmann::json& pod,
                                   const MutateOptions& options = MutateOptions()) {
  const auto response = MutatePod(Creation(pod), options);
  EXPECT_TRUE(response.ok()) << response.status().ToString();
  return response.ok() ? *response : api::ReviewResponse();
}

// The pod as it is stored after the webhook.
inline nlohmann::json Patched(const nlohmann::json& pod, const api::ReviewResponse& response) {
  return response.patch.is_null() ? pod : pod.patch(response.patch);
}

inline bool Warns(const api::ReviewResponse& response, const std::string& warning) {
  return std::find(response.warnings.begin(), response.warnings.end(), warning) !=
         response.warnings.end();
}

}  // namespace aliquot::admission
