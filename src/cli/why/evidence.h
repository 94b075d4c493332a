// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is known of one pod and its cluster, and the one line that follows from it. Plain values and
// pure functions; thread-safe.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/why/event.h"
#include "cli/why/node_side.h"
#include "explain/explain.h"
#include "model/demand.h"
#include "model/pod.h"

namespace aliquot::cli {

// Nodes that could hold the pod by their cards, and what keeps it from them.
struct ExcludedNodes {
  Objection objection;
  std::vector<std::string> nodes;

  // The pod is meant for them, by its selector and affinity.
  bool wanted() const { return objection.code == "taints"; }
};

struct PodEvidence {
  nlohmann::json pod;  // as the API server has it
  model::Pod parsed;
  model::ResourceNames names;
  std::vector<SeenEvent> events;  // the latest first
  // Where the pod would go now; nothing when nodes and pods could not be read, the pod is on a node
  // or its demand is not readable (`demand_problem` says why).
  std::optional<explain::Report> report;
  // The same over the nodes that neither taint nor label keeps it from; there when `report` is.
  std::optional<explain::Report> allowed;
  std::vector<ExcludedNodes> excluded;  // wanted ones first, then the most nodes
  std::string demand_problem;
  // What is free in sum on the first node that the pod fits on in sum only; "" when there is none.
  std::string fragmented;
  std::vector<std::string> unbound_claims;   // "data (Pending)", "logs (does not exist)"
  std::vector<std::string> resource_claims;  // of DRA: "gpu (does not exist)"
  // Of the nodes that it may use: those that advertise our resources and publish no cards, and
  // those that publish cards and advertise nothing.
  std::vector<std::string> old_plugin;
  std::vector<std::string> silent_agents;
  std::vector<std::string> held;  // "container main holds GPU 3 (20 %, 3840 MiB)"
};

struct WhyAnswer {
  std::string code;  // stable, snake_case (docs/reference/aliquotctl.md)
  std::string sentence;
};

WhyAnswer WhyOf(const PodEvidence& evidence);

}  // namespace aliquot::cli
