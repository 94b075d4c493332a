// SPDX-License-Identifier: Apache-2.0
#include "cli/why/places.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/string_map.h"
#include "cli/cluster_ledger.h"
#include "cli/why/no_cards.h"
#include "model/demand.h"
#include "scoring/policy_registry.h"

namespace aliquot::cli {
namespace {

// What a reading of the nodes shows besides their cards. Of each node little is kept.
struct NodeNews {
  StringMap<Objection> objections;  // by node
  StringSet advertising;            // our core resource

  Status Take(std::string_view page, const PodEvidence& evidence) {
    const auto sides = ParseNodeSides(page, evidence.names.core);
    if (!sides.ok()) {
      return sides.status();
    }
    for (const NodeSide& node : sides->items) {
      if (Objection objection = ObjectionOf(evidence.pod, node); !objection.code.empty()) {
        objections.emplace(node.name, std::move(objection));
      }
      if (!node.core.empty() && node.core != "0") {
        advertising.insert(node.name);
      }
    }
    return Status::Ok();
  }
};

std::vector<ExcludedNodes> Excluded(const explain::Report& report, const NodeNews& news) {
  std::map<std::string, ExcludedNodes> by_sentence;
  for (std::size_t i = 0; i < report.fitting; ++i) {  // those that fit come first
    const std::string& name = report.nodes[i].name;
    if (const auto found = news.objections.find(name); found != news.objections.end()) {
      ExcludedNodes& excluded = by_sentence[found->second.says];
      excluded.objection = found->second;
      excluded.nodes.push_back(name);
    }
  }
  std::vector<ExcludedNodes> all;
  for (auto& [sentence, excluded] : by_sentence) {
    all.push_back(std::move(excluded));
  }
  std::stable_sort(all.begin(), all.end(), [](const ExcludedNodes& a, const ExcludedNodes& b) {
    return std::make_tuple(!a.wanted(), b.nodes.size()) <
           std::make_tuple(!b.wanted(), a.nodes.size());
  });
  return all;
}

// Nodes on which what is advertised and what is published do not belong together.
void Compare(const std::vector<scoring::NodeState>& nodes, const NodeNews& news,
             PodEvidence& evidence) {
  for (const scoring::NodeState& node : nodes) {
    const bool published = node.facts->inventory != nullptr;
    const bool advertised = news.advertising.contains(node.facts->name);
    if (advertised && !published) {
      evidence.old_plugin.push_back(node.facts->name);
    } else if (published && !advertised) {
      evidence.silent_agents.push_back(node.facts->name);
    }
  }
}

}  // namespace

Status GatherPlaces(kubeclient::Transport& transport, const Clock& clock, PodEvidence& evidence) {
  const auto demand = model::DemandOf(evidence.parsed, evidence.names);
  if (!demand.ok()) {
    evidence.demand_problem = demand.status().message();
    return Status::Ok();
  }
  const auto policy = scoring::PolicyNamed(std::string(scoring::kDefaultPolicy));
  if (!policy.ok() || demand->empty()) {
    return policy.status();
  }
  ClusterLedger cluster(evidence.names, clock, **policy);
  NodeNews news;
  cluster.view().OnNodePage([&](std::string_view page) { return news.Take(page, evidence); });
  if (Status read = cluster.view().ReadApiServer(transport); !read.ok()) {
    return read;
  }
  const auto outlook = cluster.view().Outlook();
  const scoring::Ask ask(*demand, evidence.parsed.tolerates_cordon, *outlook);
  const auto snapshot = cluster.ledger().Read();
  std::vector<scoring::NodeState> nodes = snapshot->Nodes();
  evidence.report = explain::ExplainPod(ask, nodes, cluster.placer());
  nodes.erase(std::remove_if(nodes.begin(), nodes.end(),
                             [&news](const scoring::NodeState& node) {
                               return news.objections.contains(node.facts->name);
                             }),
              nodes.end());
  Compare(nodes, news, evidence);
  evidence.allowed = explain::ExplainPod(ask, nodes, cluster.placer());
  evidence.excluded = Excluded(*evidence.report, news);
  if (evidence.allowed->fitting == 0) {
    evidence.fragmented =
        FragmentedSentence(*evidence.allowed, nodes, *demand, evidence.excluded.empty());
  }
  return Status::Ok();
}

}  // namespace aliquot::cli
