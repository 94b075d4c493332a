// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "model/names.h"
#include "model/pod.h"

namespace aliquot::api {

class JsonDocument;

// The body of the scheduler extender's filter and prioritize verbs.
// Source: k8s.io/kube-scheduler/extender/v1 ExtenderArgs, whose Go structs carry no JSON tags: keys
// are sent as "Pod", "Nodes", "NodeNames"; any letter case is accepted here, as Go's own decoder
// does.
//
// Movable, not copyable. The views point into `storage` and live as long as the struct does.
struct ExtenderArgs {
  model::Pod pod;
  // True when NodeNames was given (nodeCacheCapable: true), also when it is an empty list.
  bool has_node_names = false;
  // True when whole Node objects were given instead. When both are given the names hold, as
  // kube-scheduler sends exactly one.
  bool has_nodes = false;
  // The candidates in the order asked, from NodeNames or from the Node objects.
  std::vector<std::string_view> node_names;
  // Only with has_nodes: the JSON text of each Node as received, parallel to node_names, so that
  // the reply can return the objects unchanged.
  std::vector<std::string_view> node_items;

  ExtenderArgs();
  ~ExtenderArgs();
  ExtenderArgs(ExtenderArgs&&) noexcept;
  ExtenderArgs& operator=(ExtenderArgs&&) noexcept;

  std::unique_ptr<JsonDocument> storage;
};

// Candidates that one request may name: many times the largest cluster Kubernetes supports, and few
// enough that the reply, which gives each refused one its reason, stays in the tens of MB.
inline constexpr std::size_t kMaxCandidates = 100'000;

// Thread-safe. Refused with one sentence: not JSON, invalid UTF-8, nested deeper than 64, a known
// field of the wrong type, no pod, a name or UID that Kubernetes would not have given, neither
// names nor nodes, too many of them, a node without a name. 5,000 names take about 0.05 ms.
Result<ExtenderArgs> ParseExtenderArgs(std::string_view body, const model::ResourceNames& names);

// What is remembered of a pod in a request, and logged, must be as short as Kubernetes has it: one
// sentence for a name or UID that Kubernetes would not have given.
Status CheckPodNames(const model::Pod& pod);

}  // namespace aliquot::api
