// SPDX-License-Identifier: Apache-2.0
#include "admission/mutate.h"

#include <random>

#include "tests/unit/admission/reviews.h"
#include "tests/unit/api/recorded.h"

namespace aliquot::admission {
namespace {

using nlohmann::json;

api::ReviewRequest RecordedReview(const std::string& name) {
  auto request = api::ParseAdmissionReview(Recorded("admission/" + name + ".json"));
  EXPECT_TRUE(request.ok()) << request.status().ToString();
  return *std::move(request);
}

const json kHidden = {{"name", "NVIDIA_VISIBLE_DEVICES"}, {"value", "void"}};
const json kToleration = {
    {"key", "nvidia.com/gpu"}, {"operator", "Exists"}, {"effect", "NoSchedule"}};

TEST(MutatePod, AGpuPodGetsLabelTolerationAndHiddenDevices) {
  const json pod = SharePod();
  const api::ReviewResponse response = Mutated(pod);
  EXPECT_TRUE(response.allowed);
  EXPECT_TRUE(response.warnings.empty());
  json expected = pod;
  expected["metadata"]["labels"]["aliquot.io/gpu"] = "true";
  expected["spec"]["containers"][0]["env"] = json::array({kHidden});
  expected["spec"]["tolerations"] = json::array({kToleration});
  EXPECT_EQ(Patched(pod, response), expected);
}

TEST(MutatePod, EveryContainerIsHiddenFromTheDevicesAlsoThoseWithoutAGpu) {
  const api::ReviewRequest request = RecordedReview("mutate-pods-CREATE-multi");
  const auto response = MutatePod(request, MutateOptions());
  ASSERT_TRUE(response.ok()) << response.status().ToString();
  ASSERT_TRUE(response->allowed) << response->message;
  const json after = request.object.patch(response->patch);
  int containers = 0;
  for (const char* list : {"initContainers", "containers"}) {
    for (const json& container : after["spec"][list]) {
      ++containers;
      EXPECT_EQ(container["env"].back(), kHidden) << container["name"];
    }
  }
  EXPECT_EQ(containers, 5);
  // "helper" had a variable of its own, which stays first.
  EXPECT_EQ(after["spec"]["containers"][1]["env"][0]["name"], "A");
  EXPECT_EQ(after["metadata"]["labels"]["app"], request.object["metadata"]["labels"]["app"]);
  EXPECT_EQ(after["spec"]["tolerations"].size(), request.object["spec"]["tolerations"].size() + 1);
}

TEST(MutatePod, RecordedCreationsArePatchedOnceAndOnlyOnce) {
  for (const char* name :
       {"mutate-pods-CREATE", "mutate-pods-CREATE-dryrun", "mutate-pods-CREATE-generateName",
        "mutate-pods-CREATE-multi", "validate-pods-CREATE"}) {
    api::ReviewRequest request = RecordedReview(name);
    const auto first = MutatePod(request, MutateOptions());
    ASSERT_TRUE(first.ok()) << name;
    ASSERT_TRUE(first->allowed) << first->message;
    EXPECT_FALSE(first->patch.empty()) << name;
    request.object = request.object.patch(first->patch);
    const auto second = MutatePod(request, MutateOptions());
    ASSERT_TRUE(second.ok());
    EXPECT_TRUE(second->patch.empty()) << name << second->patch.dump();
    EXPECT_EQ(second->warnings, first->warnings) << name;  // about amounts, not about changes
  }
}

TEST(MutatePod, OtherOperationsAndKindsAreAllowedUnchanged) {
  for (const char* name : {"validate-pods-UPDATE", "validate-pods-DELETE", "mutate-bindings-CREATE",
                           "mutate-pods_binding-CREATE-default-binder"}) {
    const auto response = MutatePod(RecordedReview(name), MutateOptions());
    ASSERT_TRUE(response.ok()) << name;
    EXPECT_TRUE(response->allowed) << name;
    EXPECT_TRUE(response->patch.empty()) << name;
  }
}

TEST(MutatePod, PodsWithoutOurResourcesAreNeverTouched) {
  json pod = SharePod();
  pod["spec"]["containers"][0]["resources"] = {{"limits", {{"nvidia.com/gpu", "1"}, {"cpu", "1"}}}};
  pod["spec"]["nodeName"] = "n1";
  pod["spec"]["containers"][0]["securityContext"]["privileged"] = true;
  pod["metadata"]["annotations"]["aliquot.io/allocation"] = "{}";
  const api::ReviewResponse response = Mutated(pod);
  EXPECT_TRUE(response.allowed);
  EXPECT_TRUE(response.patch.empty());
  EXPECT_TRUE(response.warnings.empty());
}

TEST(MutatePod, NullMapsAndListsCountAsMissing) {
  json pod = SharePod();
  pod["metadata"]["labels"] = nullptr;
  pod["metadata"]["annotations"] = nullptr;
  pod["spec"]["tolerations"] = nullptr;
  pod["spec"]["containers"][0]["env"] = nullptr;
  const json after = Patched(pod, Mutated(pod));
  EXPECT_EQ(after["metadata"]["labels"]["aliquot.io/gpu"], "true");
  EXPECT_EQ(after["spec"]["containers"][0]["env"], json::array({kHidden}));
  EXPECT_EQ(after["spec"]["tolerations"], json::array({kToleration}));
}

TEST(MutatePod, ATolerationOfOurTaintIsEnough) {
  for (const char* enough :
       {R"({"key":"nvidia.com/gpu","operator":"Exists","effect":"NoSchedule"})",
        R"({"key":"nvidia.com/gpu","operator":"Exists"})", R"({"operator":"Exists"})"}) {
    json pod = SharePod();
    pod["spec"]["tolerations"] = json::array({json::parse(enough)});
    EXPECT_EQ(Patched(pod, Mutated(pod))["spec"]["tolerations"].size(), 1u) << enough;
  }
  for (const char* other :
       {R"({"key":"nvidia.com/gpu","operator":"Equal","value":"present","effect":"NoSchedule"})",
        R"({"key":"nvidia.com/gpu","operator":"Exists","effect":"NoExecute"})",
        R"({"key":"other","operator":"Exists"})", R"({"key":"nvidia.com/gpu"})"}) {
    json pod = SharePod();
    pod["spec"]["tolerations"] = json::array({json::parse(other)});
    EXPECT_EQ(Patched(pod, Mutated(pod))["spec"]["tolerations"].size(), 2u) << other;
  }
}

TEST(MutatePod, AMirrorPodPassesButKeepsNothingForged) {
  json pod = SharePod();
  pod["spec"]["nodeName"] = "n1";
  pod["spec"]["containers"][0]["securityContext"]["privileged"] = true;
  pod["metadata"]["annotations"] = {{"kubernetes.io/config.mirror", "hash"},
                                    {"aliquot.io/allocation", "{}"}};
  pod["metadata"]["labels"] = {{"aliquot.io/gpu", "true"}};
  const api::ReviewResponse response = Mutated(pod);
  EXPECT_TRUE(response.allowed);
  json expected = pod;
  expected["metadata"]["annotations"].erase("aliquot.io/allocation");
  expected["metadata"]["labels"].erase("aliquot.io/gpu");
  EXPECT_EQ(Patched(pod, response), expected);
}

TEST(MutatePod, WhatIsNoPodIsAnErrorForTheCaller) {
  const auto error = [](const json& object) {
    return MutatePod(Creation(object), MutateOptions()).status().message();
  };
  EXPECT_EQ(error(nullptr),
            "the pod: metadata is not an object; send the Pod as the API server does");
  EXPECT_EQ(error(json::parse(R"({"metadata":{}})")),
            "the pod: spec is not an object; send the Pod as the API server does");
  json pod = SharePod();
  pod["spec"]["containers"][0]["env"] = "x";
  EXPECT_EQ(error(pod),
            "the pod: spec.containers[0].env is not a list; send the Pod as the API server does");
  pod = SharePod();
  pod["spec"]["containers"][0].erase("name");
  EXPECT_EQ(
      error(pod),
      "the pod: spec.containers[0].name is not a string; send the Pod as the API server does");
  pod = SharePod();
  pod["metadata"]["labels"] = {{"a", 1}};
  EXPECT_EQ(error(pod),
            "the pod: metadata.labels.a is not a string; send the Pod as the API server does");
  pod = SharePod();
  pod["spec"]["containers"][0]["resources"]["limits"] = json::array();
  EXPECT_EQ(error(pod),
            "the pod: spec.containers[0].resources.limits is a list; it must be an object");
}

// Whatever a pod looks like, a second review of the result changes nothing.
TEST(MutatePod, IsIdempotentForPodsOfEveryShape) {
  std::mt19937 random(20261129);
  const auto chance = [&](int of) { return random() % static_cast<unsigned>(of) == 0; };
  int allowed = 0;
  for (int round = 0; round < 500; ++round) {
    json pod = SharePod();
    json& spec = pod["spec"];
    const int extra = static_cast<int>(random() % 4);
    for (int i = 0; i < extra; ++i) {
      json container = spec["containers"][0];
      container["name"] = "c" + std::to_string(i);
      spec[chance(2) ? "initContainers" : "containers"].push_back(container);
    }
    for (const char* list : {"initContainers", "containers"}) {
      for (json& container : spec[list]) {
        if (chance(2)) {
          container["env"] = json::array({{{"name", "A"}, {"value", "1"}}});
        }
        if (chance(3)) {
          container["env"].push_back({{"name", "NVIDIA_VISIBLE_DEVICES"}, {"value", "all"}});
        }
        if (chance(4)) {
          container["env"].push_back({{"name", "NVIDIA_VISIBLE_DEVICES"},
                                      {"valueFrom", {{"fieldRef", {{"fieldPath", "x"}}}}}});
        }
        if (chance(4)) {
          container["env"].push_back(kHidden);
        }
      }
    }
    if (chance(2)) {
      pod["metadata"]["labels"] = {{"app", "a"}, {"aliquot.io/gpu", chance(2) ? "true" : "false"}};
    }
    if (chance(2)) {
      pod["metadata"]["annotations"] = {{"tencent.com/predicate-gpu-idx-0", "1"},
                                        {"example.org/x~y", "z"}};
    }
    if (chance(2)) {
      spec["tolerations"] = json::array({{{"key", "x"}, {"operator", "Exists"}}});
    }
    const api::ReviewResponse first = Mutated(pod);
    ASSERT_TRUE(first.allowed) << first.message;
    ++allowed;
    const json after = Patched(pod, first);
    const api::ReviewResponse second = Mutated(after);
    EXPECT_TRUE(second.allowed);
    EXPECT_TRUE(second.patch.empty()) << pod.dump() << second.patch.dump();
    EXPECT_TRUE(second.warnings.empty());
    EXPECT_EQ(after["metadata"]["labels"]["aliquot.io/gpu"], "true");
    for (const json& container : after["spec"]["containers"]) {
      for (const json& variable : container["env"]) {
        EXPECT_TRUE(variable["name"] != "NVIDIA_VISIBLE_DEVICES" || variable == kHidden);
      }
    }
  }
  EXPECT_EQ(allowed, 500);
}

}  // namespace
}  // namespace aliquot::admission
