// SPDX-License-Identifier: Apache-2.0
#pragma once

// What kube-scheduler weighs of a Node object before our extender is asked, and which of it keeps a
// pod away: taints, node selector, required node affinity. The scheduler's own text tells neither
// node nor taint (since 1.34). Sources: k8s.io/component-helpers/scheduling/corev1, ToleratesTaint
// and MatchNodeSelectorTerms. Cordons are the ledger's (scoring::Refusal::kCordoned). Pure;
// thread-safe.

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "api/list_codec.h"
#include "base/status.h"
#include "model/labels.h"

namespace aliquot::cli {

struct Taint {
  std::string key;
  std::string value;
  std::string effect;

  std::string ToString() const;  // "dedicated=ml:NoSchedule", as kubectl taint writes it
};

struct NodeSide {
  std::string name;
  model::Labels labels;
  std::vector<Taint> taints;
  std::string core;  // allocatable of our core resource as written; "" or "0": none
};

// One page of the API server's list.
Result<api::ListPage<NodeSide>> ParseNodeSides(std::string_view body, std::string_view core_name);

// What keeps the pod, a v1 Pod, from a node.
struct Objection {
  std::string code;    // taints, affinity; "": nothing does
  std::string says;    // "it does not tolerate the taint dedicated=ml:NoSchedule"
  std::string remedy;  // "add a toleration, or take the taint away"
};

// Selector and affinity first, though kube-scheduler asks for taints first: they say which nodes
// the pod is meant for, so a taint counts on those alone.
Objection ObjectionOf(const nlohmann::json& pod, const NodeSide& node);

}  // namespace aliquot::cli
