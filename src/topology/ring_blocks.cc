// SPDX-License-Identifier: Apache-2.0
#include "topology/ring_blocks.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/biconnected_components.hpp>
#include <boost/property_map/property_map.hpp>
#include <cstddef>

namespace aliquot::topology {
namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS,
                                    boost::no_property, boost::property<boost::edge_index_t, int>>;

Graph GraphOf(const std::vector<CardSet>& edges) {
  Graph graph(edges.size());
  int index = 0;
  for (std::size_t card = 0; card < edges.size(); ++card) {
    // Each edge once, from its lower card.
    for (CardSet rest = edges[card] >> card >> 1; rest != 0; rest = WithoutLowest(rest)) {
      boost::add_edge(card, card + 1 + static_cast<std::size_t>(LowestOf(rest)), index++, graph);
    }
  }
  return graph;
}

}  // namespace

std::vector<CardSet> RingBlocks(const std::vector<CardSet>& edges) {
  const Graph graph = GraphOf(edges);
  std::vector<std::size_t> block_of(boost::num_edges(graph));
  const auto count = boost::biconnected_components(
      graph,
      boost::make_iterator_property_map(block_of.begin(), boost::get(boost::edge_index, graph)));
  std::vector<CardSet> blocks(count);
  for (const auto& edge : boost::make_iterator_range(boost::edges(graph))) {
    const auto index = static_cast<std::size_t>(boost::get(boost::edge_index, graph, edge));
    blocks[block_of[index]] |= CardBit(static_cast<int>(boost::source(edge, graph))) |
                               CardBit(static_cast<int>(boost::target(edge, graph)));
  }
  blocks.erase(std::remove_if(blocks.begin(), blocks.end(),
                              [](CardSet block) { return CountOf(block) < 3; }),
               blocks.end());
  return blocks;
}

bool HasEvenRingsOnly(const std::vector<CardSet>& edges, CardSet block) {
  CardSet here = CardBit(LowestOf(block));
  CardSet there = 0;
  CardSet visited = 0;
  while (((here | there) & ~visited) != 0) {
    const int card = LowestOf((here | there) & ~visited);
    visited |= CardBit(card);
    (Holds(here, card) ? there : here) |= edges[static_cast<std::size_t>(card)] & block;
    if ((here & there) != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace aliquot::topology
