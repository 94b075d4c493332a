// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is known of one pod and its cluster, and the one line that follows from it. Plain values and
// pure functions; thread-safe.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "explain/explain.h"
#include "model/demand.h"
#include "model/pod.h"

namespace aliquot::cli {

struct SeenEvent {
  std::string reason;
  std::string message;
  std::string source;  // the component that wrote it
  std::string last;    // RFC 3339
};

struct PodEvidence {
  nlohmann::json pod;  // as the API server has it
  model::Pod parsed;
  model::ResourceNames names;
  std::vector<SeenEvent> events;  // the latest first
  bool events_known = false;
  // Where the pod would go now; nothing when nodes and pods could not be read, the pod is on a node
  // or its demand is not readable (`demand_problem` says why).
  std::optional<explain::Report> report;
  std::string demand_problem;
  // Over all nodes: what is free in sum on the node that has the most, for a pod that fits in sum
  // only.
  std::string fragmented;
  std::vector<std::string> unbound_claims;  // "data (Pending)", "logs (does not exist)"
  std::vector<std::string> old_plugin;  // nodes that advertise our resources and publish no cards
  std::vector<std::string> silent_agents;  // nodes that publish cards and advertise nothing
  std::vector<std::string> held;           // "container main holds GPU 3 (20 %, 3840 MiB)"
};

struct WhyAnswer {
  std::string code;  // stable, snake_case (docs/reference/aliquotctl.md)
  std::string sentence;
};

WhyAnswer WhyOf(const PodEvidence& evidence);

// "12 % and 3072 MiB are free in sum on node a, but no one card has the 40 % and .."; "" when the
// pod is not refused for that on any node.
std::string FragmentedSentence(const explain::Report& report,
                               const std::vector<scoring::NodeState>& nodes,
                               const model::PodDemand& demand);

}  // namespace aliquot::cli
