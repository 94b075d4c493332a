// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "model/names.h"
#include "model/pod.h"

namespace aliquot::api {

class JsonDocument;

// The pods to evict on one node. Source: k8s.io/kube-scheduler/extender/v1 MetaVictims.
struct NodeVictims {
  std::string_view node;
  std::vector<std::string_view> uids;
  std::int64_t pdb_violations = 0;  // of those pods, how many against a disruption budget
};

// The body of the extender's preempt verb: a pod that fits nowhere, and for each node where
// evicting pods would let it pass kube-scheduler's own checks those pods. Source:
// k8s.io/kube-scheduler/extender/v1 ExtenderPreemptionArgs; keys in any letter case, as in
// extender_args.h. Sent as NodeNameToMetaVictims (UIDs only, nodeCacheCapable: true) or as
// NodeNameToVictims (whole pods); when both are given the first holds.
//
// Movable, not copyable. The views point into `storage` and live as long as the struct does.
struct PreemptionArgs {
  model::Pod pod;
  std::vector<NodeVictims> nodes;  // sorted by node, each once

  PreemptionArgs();
  ~PreemptionArgs();
  PreemptionArgs(PreemptionArgs&&) noexcept;
  PreemptionArgs& operator=(PreemptionArgs&&) noexcept;

  std::unique_ptr<JsonDocument> storage;
};

// Thread-safe. Refused with one sentence: not JSON, a known field of the wrong type, no pod, a name
// or UID that Kubernetes would not have given, neither kind of victims, more than kMaxCandidates
// nodes, a victim without a UID.
Result<PreemptionArgs> ParsePreemptionArgs(std::string_view body,
                                           const model::ResourceNames& names);

// Appends the reply to `out`: always as NodeNameToMetaVictims, as kube-scheduler expects. Source:
// ExtenderPreemptionResult. Thread-safe.
void WritePreemptionResult(std::string& out, const std::vector<NodeVictims>& nodes);

}  // namespace aliquot::api
