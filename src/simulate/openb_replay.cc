// SPDX-License-Identifier: Apache-2.0
#include "simulate/openb_replay.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/string_map.h"
#include "simulate/demand_cache.h"
#include "simulate/fragmentation.h"
#include "simulate/node_books.h"
#include "simulate/random_stream.h"
#include "simulate/simulated_cluster.h"
#include "simulate/trace_objects.h"
#include "topology/card_set.h"

namespace aliquot::simulate {
namespace {

constexpr std::size_t kEventsPerProgress = 64;

// The unusable idle GPU of every node, kept up to date node by node.
class FragmentationBook {
 public:
  FragmentationBook(const OpenbTrace& trace, const NodeBooks& books) : books_(books) {
    const std::vector<TypicalPod> typical = TypicalPods(trace.pods);
    for (const TraceNode& node : trace.nodes) {
      const auto [meter, fresh] = meters_.try_emplace(node.model, typical, node.model);
      of_node_.push_back({&meter->second, 0});
      Refresh(of_node_.size() - 1);
    }
  }

  void Refresh(std::size_t node) {
    const NodeBook& book = books_.node(node);
    total_ -= of_node_[node].milli;
    of_node_[node].milli = of_node_[node].meter->Of(book.host.cpu_milli, book.gpu_milli);
    total_ += of_node_[node].milli;
  }
  double total_milli() const { return total_; }

 private:
  struct OfNode {
    const FragmentationMeter* meter;
    double milli;
  };
  const NodeBooks& books_;
  std::map<std::string, FragmentationMeter> meters_;
  std::vector<OfNode> of_node_;
  double total_ = 0;
};

class Replay {
 public:
  Replay(const OpenbTrace& trace, const scoring::Policy& policy, const ReplayOptions& options,
         const Clock& clock)
      : trace_(trace),
        options_(options),
        random_(options.seed),
        books_(trace.nodes),
        fragments_(trace, books_),
        cluster_(policy, clock),
        demands_(trace.pods) {
    result_.seed = options.seed;
  }

  Result<ReplayResult> Run(const Progress& progress) {
    const std::int64_t total = TotalGpuMilli(trace_.nodes);
    const auto arrivals = InflatedArrivals(trace_.pods, options_.arrivals, total, random_);
    if (!arrivals.ok()) {
      return arrivals.status();
    }
    if (Status status = demands_.problem(); !status.ok()) {
      return status;
    }
    AddNodes();
    for (std::size_t i = 0; i < arrivals->size(); ++i) {
      Arrive((*arrivals)[i]);
      Record(total);
      if (progress && i % kEventsPerProgress == 0) {
        progress(static_cast<double>(i) / static_cast<double>(arrivals->size()));
      }
    }
    std::sort(result_.decisions.begin(), result_.decisions.end());
    result_.arrived_pods = arrivals->size();
    result_.multi_card.ring_of_best =
        result_.multi_card.pods == 0 ? 1
                                     : ring_of_best_ / static_cast<double>(result_.multi_card.pods);
    return std::move(result_);
  }

 private:
  // Each node's name begins with its place in a random order, so that ties, which go to the first
  // name, are decided by chance and yet the same way through a run.
  void AddNodes() {
    const std::vector<std::size_t> order = random_.Permutation(trace_.nodes.size());
    const std::size_t width = std::to_string(order.size()).size();
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::string place = std::to_string(order[i]);
      names_.push_back(std::string(width - place.size(), '0') + place + "-" + trace_.nodes[i].name);
    }
    for (std::size_t i = 0; i < names_.size(); ++i) {
      index_of_.emplace(names_[i], i);
      const TraceNode& node = trace_.nodes[i];
      if (node.gpus > 0) {
        cluster_.AddNode(NodeObject(node, names_[i], options_.links.For(node)));
      }
    }
  }

  void Arrive(const Arrival& arrival) {
    const TracePod& pod = trace_.pods[arrival.pod];
    arrived_milli_ += pod.total_milli();
    const std::optional<std::size_t> plain = pod.gpus == 0 ? NodeWithoutGpu(pod) : std::nullopt;
    if (plain) {
      books_.Take(*plain, pod, {});
      return;
    }
    const auto placement = Schedule(arrival, pod);
    if (!placement) {
      ++result_.failed_pods;
      return;
    }
    const std::size_t node = index_of_.find(placement->node)->second;
    if (pod.gpus > 1 && !options_.links.empty()) {
      CountRing(node, *placement);
    }
    books_.Take(node, pod, placement->cards);
    fragments_.Refresh(node);
  }

  std::optional<Placement> Schedule(const Arrival& arrival, const TracePod& pod) {
    std::vector<std::string_view> candidates;
    candidates.reserve(names_.size());
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (trace_.nodes[i].gpus > 0 && books_.HasHost(i, pod.host)) {
        candidates.push_back(names_[i]);
      }
    }
    const std::string name =
        arrival.copy == 0 ? pod.name : pod.name + "-clone-" + std::to_string(arrival.copy);
    auto placement = cluster_.Schedule(PodObject(pod, name, names_of_resources_),
                                       demands_.Of(arrival.pod), candidates);
    result_.decisions.push_back(cluster_.last_decision());
    return placement;
  }

  // A CPU-only pod goes to the first such node that has room: a cluster keeps it off its GPUs.
  std::optional<std::size_t> NodeWithoutGpu(const TracePod& pod) const {
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (trace_.nodes[i].gpus == 0 && books_.HasHost(i, pod.host) &&
          (!first || names_[i] < names_[*first])) {
        first = i;
      }
    }
    return first;
  }

  void CountRing(std::size_t node, const Placement& placement) {
    topology::CardSet idle = 0;
    topology::CardSet chosen = 0;
    const std::vector<int>& left = books_.node(node).gpu_milli;
    for (std::size_t i = 0; i < left.size(); ++i) {
      idle |= left[i] == kGpuMilli ? topology::CardBit(static_cast<int>(i)) : 0;
    }
    for (const int card : placement.cards) {
      chosen |= topology::CardBit(card);
    }
    scoring::NodeState state;
    cluster_.ledger().Read()->Find(placement.node, &state);
    const topology::NodeTopology& topology = *state.facts->topology;
    const int best = topology.Of(topology.BestCards(idle, topology::CountOf(chosen))).ring_gbps;
    ++result_.multi_card.pods;
    ring_of_best_ += best == 0 ? 1 : static_cast<double>(topology.Of(chosen).ring_gbps) / best;
  }

  void Record(std::int64_t total) {
    const double percent = 100.0 / static_cast<double>(total);
    const double arrived = static_cast<double>(arrived_milli_) * percent;
    result_.allocated_percent.Add(arrived, static_cast<double>(books_.taken_milli()) * percent);
    result_.fragmentation_percent.Add(arrived, fragments_.total_milli() * percent);
  }

  const OpenbTrace& trace_;
  const ReplayOptions& options_;
  const model::ResourceNames names_of_resources_;
  RandomStream random_;
  NodeBooks books_;
  FragmentationBook fragments_;
  SimulatedCluster cluster_;
  DemandCache demands_;
  std::vector<std::string> names_;  // parallel to the trace's nodes
  StringMap<std::size_t> index_of_;
  std::int64_t arrived_milli_ = 0;
  double ring_of_best_ = 0;
  ReplayResult result_;
};

}  // namespace

Result<ReplayResult> ReplayOpenb(const OpenbTrace& trace, const scoring::Policy& policy,
                                 const ReplayOptions& options, const Clock& clock,
                                 const Progress& progress) {
  return Replay(trace, policy, options, clock).Run(progress);
}

}  // namespace aliquot::simulate
