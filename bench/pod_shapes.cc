// SPDX-License-Identifier: Apache-2.0
#include "bench/pod_shapes.h"

#include <nlohmann/json.hpp>

namespace aliquot::bench {
namespace {

nlohmann::json Container(const std::string& name, const Ask& ask) {
  nlohmann::json amounts = {{"tencent.com/vcuda-core", std::to_string(ask.core)}};
  if (ask.memory > 0) {
    amounts["tencent.com/vcuda-memory"] = std::to_string(ask.memory);
  }
  amounts["cpu"] = "2";
  return {{"name", name},
          {"image", "registry.example/team/inference-server:1.42.0"},
          {"resources", {{"limits", amounts}, {"requests", amounts}}},
          {"env", {{{"name", "NVIDIA_VISIBLE_DEVICES"}, {"value", "void"}}}},
          {"volumeMounts",
           {{{"name", "kube-api-access-x2v9d"},
             {"readOnly", true},
             {"mountPath", "/var/run/secrets/kubernetes.io/serviceaccount"}}}},
          {"terminationMessagePath", "/dev/termination-log"},
          {"terminationMessagePolicy", "File"},
          {"imagePullPolicy", "IfNotPresent"}};
}

}  // namespace

std::vector<PodShape> PodShapes() {
  std::vector<PodShape> shapes;
  for (int core = 5; core <= 95; core += 5) {  // 38 single shares
    shapes.push_back({{{core, core * 2}}, {}});
    shapes.push_back({{{core, core + 7}}, {}});
  }
  for (const int core : {100, 200, 300, 400}) {
    shapes.push_back({{{core, 0}}, {}});
  }
  for (int core = 10; core <= 40; core += 10) {  // two containers; two with an init container
    shapes.push_back({{{core, 30}, {core + 5, 40}}, {}});
    shapes.push_back({{{core, 30}}, {core + 20, 20}});
  }
  shapes.push_back({{{20, 10}, {20, 10}, {20, 10}}, {60, 10}});
  return shapes;
}

std::string PodJson(const PodShape& shape, const std::string& name, const std::string& uid) {
  nlohmann::json spec = {{"containers", nlohmann::json::array()},
                         {"restartPolicy", "Always"},
                         {"schedulerName", "default-scheduler"},
                         {"serviceAccountName", "default"},
                         {"priority", 0}};
  for (std::size_t i = 0; i < shape.apps.size(); ++i) {
    spec["containers"].push_back(Container("main-" + std::to_string(i), shape.apps[i]));
  }
  if (shape.init.core > 0) {
    spec["initContainers"] = nlohmann::json::array({Container("prepare", shape.init)});
  }
  spec["tolerations"] = {
      {{"key", "node.kubernetes.io/not-ready"},
       {"operator", "Exists"},
       {"effect", "NoExecute"},
       {"tolerationSeconds", 300}},
      {{"key", "nvidia.com/gpu"}, {"operator", "Exists"}, {"effect", "NoSchedule"}}};
  const nlohmann::json pod = {{"metadata",
                               {{"name", name},
                                {"namespace", "bench"},
                                {"uid", uid},
                                {"labels", {{"aliquot.io/gpu", "true"}, {"app", "inference"}}},
                                {"resourceVersion", "4711"}}},
                              {"spec", spec},
                              {"status", {{"phase", "Pending"}, {"qosClass", "Burstable"}}}};
  return pod.dump();
}

std::string ExtenderArgs(const std::string& pod_json, const std::string& node_names_json) {
  return "{\"Pod\":" + pod_json + ",\"Nodes\":null,\"NodeNames\":" + node_names_json + "}";
}

}  // namespace aliquot::bench
