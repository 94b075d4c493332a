// SPDX-License-Identifier: Apache-2.0
#pragma once

// The nodes of a trace as a cluster under the service's decisions, with kube-scheduler's own filter
// in front. Not thread-safe.

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "base/string_map.h"
#include "model/demand.h"
#include "scoring/policy.h"
#include "simulate/link_rules.h"
#include "simulate/node_books.h"
#include "simulate/openb_trace.h"
#include "simulate/random_stream.h"
#include "simulate/simulated_cluster.h"

namespace aliquot::simulate {

struct PlacedPod {
  std::size_t node = 0;  // index into the trace
  std::vector<int> gpus;
  // False: it asks for no GPU and stands on a node without any, which the service never sees.
  bool decided = true;
};

class TraceCluster {
 public:
  // Each node's name begins with its place in a random order, so that ties, which go to the first
  // name, are decided by chance and yet the same way through a run. Everything referred to must
  // outlive it.
  TraceCluster(const std::vector<TraceNode>& nodes, const scoring::Policy& policy,
               const ServiceOptions& options, const Clock& clock, const LinkRules& links,
               RandomStream& random);

  // As SimulatedCluster::Expect.
  void Expect(std::vector<scoring::PodClass> mix) { cluster_.Expect(std::move(mix)); }

  // Places the pod; nothing when it fits nowhere. `uid`: unlike any other that is there.
  std::optional<PlacedPod> Place(const TracePod& pod, const model::PodDemand& demand,
                                 const std::string& uid);
  void Remove(const PlacedPod& placed, const TracePod& pod, std::string_view uid);

  // Not OK once the service gave a pod what is not there: then no figure of the run counts.
  const Status& problem() const { return problem_; }
  const NodeBooks& books() const { return books_; }
  // What the service took for the last pod it was asked about.
  std::chrono::nanoseconds last_decision() const { return cluster_.last_decision(); }
  // Of a node with GPUs.
  const topology::NodeTopology& TopologyOf(std::size_t node) const { return *topologies_[node]; }

 private:
  std::optional<std::size_t> NodeWithoutGpu(const TracePod& pod) const;
  std::optional<PlacedPod> Decide(const TracePod& pod, const model::PodDemand& demand,
                                  const std::string& uid);

  const std::vector<TraceNode>& nodes_;
  const model::ResourceNames resource_names_;
  std::vector<std::string> names_;                                         // parallel to nodes_
  std::vector<std::shared_ptr<const topology::NodeTopology>> topologies_;  // parallel to nodes_
  StringMap<std::size_t> index_of_;
  NodeBooks books_;
  SimulatedCluster cluster_;
  Status problem_;
};

}  // namespace aliquot::simulate
