// SPDX-License-Identifier: Apache-2.0
#include "simulate/simulated_cluster.h"

#include <algorithm>
#include <utility>

#include "scoring/cluster_figures.h"
#include "scoring/rank_nodes.h"

namespace aliquot::simulate {
namespace {

scoring::ClusterFigures FiguresOf(const ledger::Snapshot& snapshot) {
  scoring::ClusterFigures figures;
  for (const scoring::NodeState& node : snapshot.Nodes()) {
    scoring::AddNode(node, figures);
  }
  return figures;
}

}  // namespace

SimulatedCluster::SimulatedCluster(const scoring::Policy& policy, const ServiceOptions& options,
                                   const Clock& clock)
    : options_(options),
      clock_(clock),
      placer_(scoring::PlacerOptions(), policy),
      ledger_(placer_, catalog_, names_, clock),
      judge_(placer_, clock) {}

std::optional<Placement> SimulatedCluster::Schedule(
    const model::Pod& pod, const model::PodDemand& demand,
    const std::vector<std::string_view>& candidates) {
  Learn(pod, demand);
  const SteadyTime started = clock_.SteadyNow();
  const std::string_view node = BestNode(demand, candidates);
  std::optional<Placement> placement;
  if (!node.empty() && demand.empty() && !options_.sees_cpu_pods) {
    placement = Placement{std::string(node), {}};
  } else if (!node.empty()) {
    placement = Bind(pod, demand, node);
  }
  last_decision_ = clock_.SteadyNow() - started;
  return placement;
}

void SimulatedCluster::Expect(std::vector<scoring::PodClass> mix) {
  learns_ = false;
  ledger_.SetOutlook(scoring::MakeOutlook(1, std::move(mix), FiguresOf(*ledger_.Read())));
}

void SimulatedCluster::Learn(const model::Pod& pod, const model::PodDemand& demand) {
  if (!learns_) {
    return;
  }
  if (!demand.empty()) {
    learner_.Learn(pod.uid, demand);
  }
  if (!learner_.Due()) {
    return;
  }
  const auto snapshot = ledger_.Read();
  const auto outlook = learner_.Publish(FiguresOf(*snapshot));
  judge_.Prepare(*snapshot, *outlook);
  ledger_.SetOutlook(outlook);
  judge_.KeepOnly(*outlook);
}

std::string_view SimulatedCluster::BestNode(const model::PodDemand& demand,
                                            const std::vector<std::string_view>& candidates) {
  const auto snapshot = ledger_.Read();
  const scoring::Ask ask(demand, /*pod_tolerates_cordon=*/false, snapshot->outlook());
  // Without a deadline judging cannot fail.
  const auto filtered = judge_.Judge(*snapshot, {candidates, ask, /*ranked=*/false, {}});
  std::vector<std::string_view> kept;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (filtered->judgements[i].fits()) {
      kept.push_back(candidates[i]);
    }
  }
  const auto judged = judge_.Judge(*snapshot, {kept, ask, /*ranked=*/true, {}});
  std::vector<scoring::RankedNode> fitting;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (judged->judgements[i].fits()) {
      fitting.push_back({kept[i], judged->judgements[i].rank});
    }
  }
  const std::vector<int> scores = scoring::ScoresOf(fitting);
  const auto best = std::max_element(scores.begin(), scores.end());
  return best == scores.end() ? std::string_view()
                              : fitting[static_cast<std::size_t>(best - scores.begin())].name;
}

std::optional<Placement> SimulatedCluster::Bind(const model::Pod& pod,
                                                const model::PodDemand& demand,
                                                std::string_view node) {
  ledger::CommitRequest request;
  request.key = pod.key;
  request.uid = pod.uid;
  request.node = std::string(node);
  request.demand = demand;
  const ledger::CommitResult result = ledger_.Commit(request);
  if (result.outcome != ledger::CommitOutcome::kReserved) {
    return std::nullopt;
  }
  ledger_.Confirm(pod.uid);
  Placement placement;
  placement.node = request.node;
  for (const std::vector<int>& minors : result.minors) {
    placement.cards.insert(placement.cards.end(), minors.begin(), minors.end());
  }
  return placement;
}

}  // namespace aliquot::simulate
