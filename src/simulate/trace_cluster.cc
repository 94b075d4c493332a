// SPDX-License-Identifier: Apache-2.0
#include "simulate/trace_cluster.h"

#include <algorithm>

#include "simulate/trace_objects.h"

namespace aliquot::simulate {
namespace {

bool AllowsModel(const TracePod& pod, const std::string& model) {
  return pod.models.empty() ||
         std::find(pod.models.begin(), pod.models.end(), model) != pod.models.end();
}

}  // namespace

TraceCluster::TraceCluster(const std::vector<TraceNode>& nodes, const scoring::Policy& policy,
                           const ServiceOptions& options, const Clock& clock,
                           const LinkRules& links, RandomStream& random)
    : nodes_(nodes), topologies_(nodes.size()), books_(nodes), cluster_(policy, options, clock) {
  const std::vector<std::size_t> order = random.Permutation(nodes.size());
  const std::size_t width = std::to_string(order.size()).size();
  names_.reserve(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::string place = std::to_string(order[i]);
    names_.push_back(std::string(width - place.size(), '0') + place + "-" + nodes[i].name);
    index_of_.emplace(names_.back(), i);
    if (nodes[i].gpus > 0) {
      cluster_.AddNode(NodeObject(nodes[i], names_.back(), links.For(nodes[i])));
    }
  }
  const auto snapshot = cluster_.ledger().Read();
  for (std::size_t i = 0; i < names_.size(); ++i) {
    scoring::NodeState state;
    if (snapshot->Find(names_[i], &state)) {
      topologies_[i] = state.facts->topology;
    }
  }
}

std::optional<PlacedPod> TraceCluster::Place(const TracePod& pod, const model::PodDemand& demand,
                                             const std::string& uid) {
  std::optional<PlacedPod> placed;
  if (const auto plain = NodeWithoutGpu(pod)) {
    placed = PlacedPod{*plain, {}, /*decided=*/false};
  } else {
    placed = Decide(pod, demand, uid);
  }
  if (placed && !books_.Take(placed->node, pod, placed->gpus)) {
    problem_ = Internal("pod " + uid + " was given more of node " + names_[placed->node] +
                        " than is there; please report this with the two files and the seed");
  }
  if (placed && pod.gpus > 0 && !AllowsModel(pod, nodes_[placed->node].model)) {
    problem_ = Internal("pod " + uid +
                        " was given GPUs of a model that it does not name; please "
                        "report this with the two files and the seed");
  }
  return placed;
}

void TraceCluster::Remove(const PlacedPod& placed, const TracePod& pod, std::string_view uid) {
  books_.Give(placed.node, pod, placed.gpus);
  if (placed.decided) {
    cluster_.Remove(uid);
  }
}

std::optional<PlacedPod> TraceCluster::Decide(const TracePod& pod, const model::PodDemand& demand,
                                              const std::string& uid) {
  std::vector<std::string_view> candidates;
  candidates.reserve(names_.size());
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (nodes_[i].gpus > 0 && books_.HasHost(i, pod.host)) {
      candidates.push_back(names_[i]);
    }
  }
  auto placement = cluster_.Schedule(PodObject(pod, uid, resource_names_), demand, candidates);
  if (!placement) {
    return std::nullopt;
  }
  return PlacedPod{index_of_.find(placement->node)->second, std::move(placement->cards)};
}

// A CPU-only pod goes to the first such node that has room: a cluster keeps it off its GPUs.
std::optional<std::size_t> TraceCluster::NodeWithoutGpu(const TracePod& pod) const {
  std::optional<std::size_t> first;
  for (std::size_t i = 0; pod.gpus == 0 && i < names_.size(); ++i) {
    if (nodes_[i].gpus == 0 && books_.HasHost(i, pod.host) &&
        (!first || names_[i] < names_[*first])) {
      first = i;
    }
  }
  return first;
}

}  // namespace aliquot::simulate
