// SPDX-License-Identifier: Apache-2.0
#pragma once

// The service's decisions over a cluster that exists only here: the same judge, placer, policy and
// ledger as behind /scheduler/filter, /scheduler/prioritize and /scheduler/bind, called without
// their JSON. Not thread-safe.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "extender/node_judge.h"
#include "ledger/ledger.h"
#include "model/demand.h"
#include "model/names.h"
#include "model/node.h"
#include "scoring/mix_learner.h"
#include "scoring/placer.h"
#include "scoring/policy.h"
#include "topology/node_topology.h"

namespace aliquot::simulate {

struct Placement {
  std::string node;
  std::vector<int> cards;  // minor numbers
};

struct ServiceOptions {
  // Whether what pods without GPU take of processor and memory is known to the service. It reads a
  // list of all pods for that, a minute old at most; here it is always fresh.
  bool sees_cpu_pods = true;
};

class SimulatedCluster {
 public:
  // Policy and clock must outlive it. The clock only measures.
  SimulatedCluster(const scoring::Policy& policy, const ServiceOptions& options,
                   const Clock& clock);

  void AddNode(const model::Node& node) { ledger_.SetNode(node); }
  // The mix of pods is known from now on; nothing is learned. To be called once all nodes are
  // there.
  void Expect(std::vector<scoring::PodClass> mix);

  // What kube-scheduler does with a pod: filter over the nodes that passed its own filters,
  // prioritize over what is left, bind to the best of them. Nothing when no node holds it.
  std::optional<Placement> Schedule(const model::Pod& pod, const model::PodDemand& demand,
                                    const std::vector<std::string_view>& candidates);
  // The pod has ended.
  void Remove(std::string_view uid) { ledger_.RemovePod(uid); }

  // What the last Schedule took.
  std::chrono::nanoseconds last_decision() const { return last_decision_; }
  const ledger::Ledger& ledger() const { return ledger_; }

 private:
  // Counts the pod into the expected mix, unless it asks for no GPU: the service's filter is never
  // asked about such a pod. Renews the outlook where that is due, which the service does beside its
  // requests.
  void Learn(const model::Pod& pod, const model::PodDemand& demand);
  // The node that prioritize gives the highest score; empty when filter leaves none.
  std::string_view BestNode(const model::PodDemand& demand,
                            const std::vector<std::string_view>& candidates);
  std::optional<Placement> Bind(const model::Pod& pod, const model::PodDemand& demand,
                                std::string_view node);

  const ServiceOptions options_;
  const Clock& clock_;
  const model::ResourceNames names_;
  scoring::Placer placer_;
  topology::Catalog catalog_;
  ledger::Ledger ledger_;
  extender::NodeJudge judge_;
  scoring::MixLearner learner_;
  bool learns_ = true;
  std::chrono::nanoseconds last_decision_{0};
};

}  // namespace aliquot::simulate
