// SPDX-License-Identifier: Apache-2.0
#include "topology/topology_graph.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <boost/graph/filtered_graph.hpp>
#include <limits>
#include <utility>

#include "topology/card_set.h"
#include "topology/infer_fabric.h"

namespace aliquot::topology {
namespace {

struct EdgeData {
  Link link;
};
using Graph =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, VertexKind, EdgeData>;
using GraphEdge = boost::graph_traits<Graph>::edge_descriptor;

// Keeps the edges on which a path from `start` may go on: those that leave the start itself or a
// device that passes traffic on.
struct MayGoOn {
  const Graph* graph = nullptr;
  std::size_t start = 0;

  bool operator()(const GraphEdge& edge) const {
    const std::size_t from = boost::source(edge, *graph);
    const VertexKind kind = (*graph)[from];
    return from == start || (kind != VertexKind::kCard && kind != VertexKind::kNic);
  }
};

Path Longer(const Path& path, const Link& wire) {
  Path longer;
  longer.link.link_class = std::max(path.link.link_class, wire.link_class);
  longer.link.gbps = std::min(path.link.gbps, wire.gbps);
  if (longer.link.link_class == LinkClass::kNvlink) {
    longer.link.nvlinks = std::min(path.link.nvlinks, wire.nvlinks);
  }
  longer.hops = path.hops + 1;
  return longer;
}

Path NoPath() { return {{LinkClass::kSys, 0, -1}, std::numeric_limits<int>::max()}; }

Path EmptyPath() { return {{LinkClass::kNvlink, kMaxNvlinks, std::numeric_limits<int>::max()}, 0}; }

bool Found(const Path& path) { return path.link.gbps >= 0; }

Graph MakeGraph(const Fabric& fabric) {
  Graph graph(fabric.vertices.size());
  for (std::size_t i = 0; i < fabric.vertices.size(); ++i) {
    graph[i] = fabric.vertices[i].kind;
  }
  for (const Wire& wire : fabric.wires) {
    boost::add_edge(static_cast<std::size_t>(wire.a), static_cast<std::size_t>(wire.b),
                    EdgeData{wire.link}, graph);
    boost::add_edge(static_cast<std::size_t>(wire.b), static_cast<std::size_t>(wire.a),
                    EdgeData{wire.link}, graph);
  }
  return graph;
}

// The best path from `start` to every vertex. Dijkstra's rule holds because a longer path is never
// better.
std::vector<Path> BestPaths(const Graph& graph, std::size_t start) {
  const boost::filtered_graph<Graph, MayGoOn> passable(graph, MayGoOn{&graph, start});
  std::vector<Path> best(boost::num_vertices(graph));
  std::vector<boost::default_color_type> colors(best.size());
  const auto index = boost::get(boost::vertex_index, graph);
  boost::dijkstra_shortest_paths(passable, start, boost::dummy_property_map(),
                                 boost::make_iterator_property_map(best.begin(), index),
                                 boost::get(&EdgeData::link, passable), index, &BetterPath, &Longer,
                                 NoPath(), EmptyPath(), boost::default_dijkstra_visitor(),
                                 boost::make_iterator_property_map(colors.begin(), index));
  return best;
}

Status CheckDescription(const Description& description) {
  const std::size_t cards = description.cards.size();
  if (cards > static_cast<std::size_t>(kMaxCards)) {
    return InvalidArgument("the topology has " + std::to_string(cards) +
                           " cards; at most 64 are supported");
  }
  const std::size_t pairs = PairCount(cards);
  if (description.fabric.empty() && description.links.size() != pairs) {
    return InvalidArgument("the topology has " + std::to_string(description.links.size()) +
                           " links; " + std::to_string(cards) + " cards need " +
                           std::to_string(pairs) + ", one for each pair");
  }
  if (!description.measured_gbps.empty() && description.measured_gbps.size() != pairs) {
    return InvalidArgument("the topology has " + std::to_string(description.measured_gbps.size()) +
                           " measured figures; " + std::to_string(cards) + " cards need " +
                           std::to_string(pairs) + ", one for each pair");
  }
  if (!description.nic_links.empty() &&
      description.nic_links.size() != PairCount(description.nics.size())) {
    return InvalidArgument("the topology has " + std::to_string(description.nic_links.size()) +
                           " links among NICs; " + std::to_string(description.nics.size()) +
                           " NICs need " + std::to_string(PairCount(description.nics.size())) +
                           ", one for each pair");
  }
  return Status::Ok();
}

}  // namespace

bool BetterPath(const Path& a, const Path& b) {
  if (a.link.link_class != b.link.link_class) {
    return a.link.link_class < b.link.link_class;
  }
  if (a.link.gbps != b.link.gbps) {
    return a.link.gbps > b.link.gbps;
  }
  return a.hops < b.hops;
}

Result<TopologyGraph> TopologyGraph::Create(const Description& description) {
  const Status checked = CheckDescription(description);
  if (!checked.ok()) {
    return checked;
  }
  TopologyGraph made;
  made.cards_ = static_cast<int>(description.cards.size());
  made.nics_ = static_cast<int>(description.nics.size());
  made.fabric_ = description.fabric.empty() ? InferFabric(description) : description.fabric;
  const auto cards = description.cards.size();
  const auto nics = description.nics.size();
  made.card_paths_.assign(cards * cards, NoPath());
  made.nic_paths_.resize(cards * nics);
  made.numa_paths_.resize(cards);
  const Graph graph = MakeGraph(made.fabric_);
  for (std::size_t i = 0; i < made.fabric_.vertices.size(); ++i) {
    const Vertex& vertex = made.fabric_.vertices[i];
    if (vertex.kind == VertexKind::kCard) {
      made.Keep(static_cast<std::size_t>(vertex.index), BestPaths(graph, i));
    }
  }
  for (std::size_t a = 0; a < cards; ++a) {
    for (std::size_t b = 0; b < cards; ++b) {
      if (a != b && !Found(made.card_paths_[a * cards + b])) {
        return InvalidArgument("no path leads from card " + std::to_string(a) + " to card " +
                               std::to_string(b) + "; describe how they are linked");
      }
    }
  }
  return made;
}

void TopologyGraph::Keep(std::size_t card, const std::vector<Path>& best) {
  for (std::size_t i = 0; i < best.size(); ++i) {
    if (!Found(best[i])) {
      continue;
    }
    const Vertex& vertex = fabric_.vertices[i];
    const auto index = static_cast<std::size_t>(vertex.index);
    if (vertex.kind == VertexKind::kCard) {
      card_paths_[card * static_cast<std::size_t>(cards_) + index] = best[i];
    } else if (vertex.kind == VertexKind::kNic) {
      nic_paths_[card * static_cast<std::size_t>(nics_) + index] = best[i];
    } else if (vertex.kind == VertexKind::kNumaNode) {
      KeepNuma(card, vertex.index, best[i]);
    }
  }
}

void TopologyGraph::KeepNuma(std::size_t card, int numa, const Path& path) {
  std::vector<NumaPath>& known = numa_paths_[card];
  const auto same = std::find_if(known.begin(), known.end(),
                                 [numa](const NumaPath& entry) { return entry.numa == numa; });
  if (same == known.end()) {
    known.push_back({numa, path});
  } else if (BetterPath(path, same->path)) {
    same->path = path;
  }
}

std::optional<Path> TopologyGraph::CardToNuma(int card, int numa) const {
  for (const NumaPath& entry : numa_paths_[static_cast<std::size_t>(card)]) {
    if (entry.numa == numa) {
      return entry.path;
    }
  }
  return std::nullopt;
}

}  // namespace aliquot::topology
