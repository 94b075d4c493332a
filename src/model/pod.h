// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/host.h"
#include "model/labels.h"

namespace aliquot::model {

// What Aliquot needs of a Kubernetes Pod, and nothing else. Plain values; safe to copy between
// threads.

enum class PodPhase { kPending, kRunning, kSucceeded, kFailed, kUnknown };

// An ordinary init container runs alone, before the app containers; a sidecar (an init container
// with restartPolicy Always) keeps running beside everything that starts after it.
enum class ContainerKind { kInit, kSidecar, kApp };

// One resource of our prefix as written in the spec: limits, or requests where there is no limit.
// `text` is the quantity as the API server spells it.
struct NamedQuantity {
  std::string resource;
  std::string text;
};

// A container that names a resource of our prefix.
struct GpuContainer {
  std::string name;
  ContainerKind kind = ContainerKind::kApp;
  int index = 0;  // in spec.containers for kApp, in spec.initContainers otherwise
  std::vector<NamedQuantity> quantities;
};

struct PodKey {
  std::string namespace_name;
  std::string name;

  std::string ToString() const { return namespace_name + "/" + name; }
  friend bool operator==(const PodKey& a, const PodKey& b) {
    return a.namespace_name == b.namespace_name && a.name == b.name;
  }
  friend bool operator<(const PodKey& a, const PodKey& b) {
    return a.namespace_name != b.namespace_name ? a.namespace_name < b.namespace_name
                                                : a.name < b.name;
  }
};

struct Pod {
  PodKey key;
  std::string uid;
  std::string resource_version;
  std::string created;    // metadata.creationTimestamp as written
  std::string node_name;  // empty while unbound
  std::string scheduler_name;
  PodPhase phase = PodPhase::kPending;
  bool deleting = false;          // metadata.deletionTimestamp is set
  bool has_gpu_label = false;     // aliquot.io/gpu=true
  Labels labels;                  // all of them: disruption budgets select by them
  bool tolerates_cordon = false;  // tolerates node.kubernetes.io/unschedulable:NoSchedule
  std::int64_t priority = 0;
  // status.nominatedNodeName: where kube-scheduler has made room for it; empty = nowhere.
  std::string nominated_node;
  // What kube-scheduler counts for it on a node: the peak of its containers' requests over its life
  // plus spec.overhead (resource.PodRequests of k8s.io/component-helpers).
  HostAmount host;
  // Containers that name a resource of our prefix: init containers in spec order, then app
  // containers.
  std::vector<GpuContainer> gpu_containers;
  // Annotations of our domains only (names.h).
  std::map<std::string, std::string, std::less<>> annotations;

  // The value of an annotation, or nullptr.
  const std::string* Annotation(std::string_view key) const;
  bool asks_for_gpu() const { return !gpu_containers.empty(); }
  // A finished pod holds nothing, whatever its deletionTimestamp says.
  bool finished() const { return phase == PodPhase::kSucceeded || phase == PodPhase::kFailed; }
};

}  // namespace aliquot::model
