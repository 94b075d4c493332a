// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/string_map.h"
#include "model/disruption_budget.h"
#include "model/node.h"
#include "model/pod.h"

namespace aliquot::model {

// The cluster as the allocator sees it, behind two interfaces: what it tells us and what we ask of
// it. The API server (src/kubeclient) and the cluster file (src/allocator) both stand behind them.

// Receives the cluster's state. Calls for nodes come from one thread, calls for pods from another,
// calls for disruption budgets from a third, OtherRequestsListed from a fourth.
class ClusterObserver {
 public:
  virtual ~ClusterObserver() = default;

  virtual void NodeSeen(const Node& node) = 0;
  virtual void NodeGone(std::string_view name) = 0;
  // A full list has been delivered by NodeSeen; these are all the nodes there are.
  virtual void NodesListed(const std::vector<std::string>& names) = 0;

  virtual void PodSeen(const Pod& pod) = 0;
  // The watch says it is gone from our selection, with its last state. It may live on without our
  // label.
  virtual void PodGone(const Pod& last) = 0;
  // A full list of our selection has been delivered by PodSeen; `uids` are all that were in it.
  virtual void PodsListed(const std::vector<std::string>& uids) = 0;

  // What all pods that ask for none of our resources request of processor and memory, by node;
  // those of finished pods and of pods without a node are left out. From a slow list: a minute old
  // at most.
  virtual void OtherRequestsListed(const StringMap<HostAmount>& /*by_node*/) {}

  // Whoever counts no victims of preemption needs none of these. A full list: these are all the
  // budgets there are.
  virtual void BudgetsListed(const std::vector<DisruptionBudget>& /*all*/) {}
  virtual void BudgetSeen(const DisruptionBudget& /*budget*/) {}
  virtual void BudgetGone(const DisruptionBudget& /*last*/) {}
};

enum class WriteOutcome {
  kDone,
  kNotFound,  // no such object, or the UID is another's
  kConflict,  // refused because of its present state (409); nothing was written by this call
  kRefused,   // refused for another reason; nothing was written
  kUnknown,   // no word from the server: it may or may not have been written
};

struct WriteReply {
  WriteOutcome outcome = WriteOutcome::kUnknown;
  std::string message;  // one sentence, "" when done

  bool done() const { return outcome == WriteOutcome::kDone; }
};

struct BindOrder {
  PodKey key;
  std::string uid;
  std::string node;
  std::map<std::string, std::string>
      annotations;  // written in the same transaction as the node name
};

// An Event about a pod (events.k8s.io/v1).
struct PodEvent {
  PodKey key;
  std::string uid;
  bool warning = true;
  std::string reason;  // CamelCase
  std::string action;  // CamelCase
  std::string note;    // one sentence, at most 1024 bytes
};

// A condition to set on a pod's status.
struct PodCondition {
  std::string type;
  bool status = false;
  std::string reason;
  std::string message;
};

struct PodLookup {
  enum class Outcome { kFound, kNotFound, kUnknown } outcome = Outcome::kUnknown;
  Pod pod;              // kFound
  std::string message;  // kUnknown: why
};

// Asks the cluster to change. Blocking; thread-safe; never called under a lock. Every write carries
// the pod's UID, so that it cannot touch a pod re-created under the same name.
class ClusterWriter {
 public:
  virtual ~ClusterWriter() = default;

  // Gives up waiting at `deadline`; the outcome is then kUnknown.
  virtual WriteReply Bind(const BindOrder& order, SteadyTime deadline) = 0;
  // Sets annotations and labels of a pod and leaves its others alone.
  virtual WriteReply PatchPod(const PodKey& key, std::string_view uid,
                              const std::map<std::string, std::string>& annotations,
                              const std::map<std::string, std::string>& labels) = 0;
  virtual WriteReply SetPodCondition(const PodKey& key, std::string_view uid,
                                     const PodCondition& condition) = 0;
  virtual WriteReply PostEvent(const PodEvent& event) = 0;
  virtual PodLookup GetPod(const PodKey& key) = 0;
};

}  // namespace aliquot::model
