// SPDX-License-Identifier: Apache-2.0
#include "simulate/openb_replay.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "simulate/demand_cache.h"
#include "simulate/fragmentation.h"
#include "simulate/node_books.h"
#include "simulate/random_stream.h"
#include "simulate/trace_cluster.h"
#include "simulate/trace_mix.h"
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
  Replay(const OpenbTrace& trace, const ReplayOptions& options)
      : trace_(trace), options_(options), random_(options.seed), demands_(trace.pods) {
    result_.seed = options.seed;
    result_.arrivals = options.arrivals;
  }

  Result<ReplayResult> Run(const scoring::Policy& policy, const Clock& clock,
                           const Progress& progress) {
    total_ = TotalGpuMilli(trace_.nodes);
    const auto arrivals = InflatedArrivals(trace_.pods, options_.arrivals, total_, random_);
    if (!arrivals.ok()) {
      return arrivals.status();
    }
    if (Status status = demands_.problem(); !status.ok()) {
      return status;
    }
    TraceCluster cluster(trace_.nodes, policy, options_.service, clock, options_.links, random_);
    if (KnowsTheTrace(policy)) {
      cluster.Expect(MixOf(trace_.pods, demands_));
    }
    FragmentationBook fragments(trace_, cluster.books());
    for (std::size_t i = 0; i < arrivals->size(); ++i) {
      Arrive((*arrivals)[i], cluster, fragments);
      Record(cluster.books(), fragments);
      if (progress && i % kEventsPerProgress == 0) {
        progress(static_cast<double>(i) / static_cast<double>(arrivals->size()));
      }
    }
    if (!cluster.problem().ok()) {
      return cluster.problem();
    }
    std::sort(result_.decisions.begin(), result_.decisions.end());
    result_.arrived_pods = arrivals->size();
    if (result_.multi_card.pods > 0) {
      result_.multi_card.ring_of_best =
          ring_of_best_ / static_cast<double>(result_.multi_card.pods);
    }
    return std::move(result_);
  }

 private:
  void Arrive(const Arrival& arrival, TraceCluster& cluster, FragmentationBook& fragments) {
    const TracePod& pod = trace_.pods[arrival.pod];
    arrived_milli_ += pod.total_milli();
    const std::string uid =
        arrival.copy == 0 ? pod.name : pod.name + "-clone-" + std::to_string(arrival.copy);
    const auto placed = cluster.Place(pod, demands_.Of(arrival.pod), uid);
    if (!placed || placed->decided) {
      result_.decisions.push_back(cluster.last_decision());
    }
    if (!placed) {
      ++result_.failed_pods;
      return;
    }
    fragments.Refresh(placed->node);
    if (pod.gpus > 1 && !options_.links.empty()) {
      CountRing(*placed, cluster);
    }
  }

  // The pod's cards and those that are still idle are the ones it could choose among.
  void CountRing(const PlacedPod& placed, const TraceCluster& cluster) {
    topology::CardSet chosen = 0;
    for (const int gpu : placed.gpus) {
      chosen |= topology::CardBit(gpu);
    }
    topology::CardSet idle = chosen;
    const std::vector<int>& left = cluster.books().node(placed.node).gpu_milli;
    for (std::size_t i = 0; i < left.size(); ++i) {
      idle |= left[i] == kGpuMilli ? topology::CardBit(static_cast<int>(i)) : 0;
    }
    const topology::NodeTopology& topology = cluster.TopologyOf(placed.node);
    const topology::SetRequest request{idle, topology::CountOf(chosen)};
    const int best = topology.Of(topology.chooser().Choose(request).set).ring_gbps;
    const int ring = topology.Of(chosen).ring_gbps;
    ++result_.multi_card.pods;
    ring_of_best_ += best == 0 ? 1 : static_cast<double>(ring) / best;
  }

  void Record(const NodeBooks& books, const FragmentationBook& fragments) {
    const double percent = 100.0 / static_cast<double>(total_);
    const double arrived = static_cast<double>(arrived_milli_) * percent;
    result_.allocated_percent.Add(arrived, static_cast<double>(books.taken_milli()) * percent);
    result_.fragmentation_percent.Add(arrived, fragments.total_milli() * percent);
  }

  const OpenbTrace& trace_;
  const ReplayOptions& options_;
  RandomStream random_;
  const DemandCache demands_;
  std::int64_t total_ = 0;  // 1/1000 of a GPU, the cluster's
  std::int64_t arrived_milli_ = 0;
  double ring_of_best_ = 0;
  ReplayResult result_;
};

}  // namespace

Result<ReplayResult> ReplayOpenb(const OpenbTrace& trace, const scoring::Policy& policy,
                                 const ReplayOptions& options, const Clock& clock,
                                 const Progress& progress) {
  return Replay(trace, options).Run(policy, clock, progress);
}

}  // namespace aliquot::simulate
