// SPDX-License-Identifier: Apache-2.0
#include "simulate/effective_bandwidth.h"

#include <algorithm>
#include <cstddef>

namespace aliquot::simulate {

double EffectiveBandwidth(const RingEdges& edges) {
  const double x = edges.double_nvlink;
  const double y = edges.single_nvlink;
  const double z = edges.pcie;
  return 16.39670455 * x + 4.536821878 * y + 1.55623404 * z - 20.69484581 / (x + 1) -
         9.467461958 / (y + 1) + 7.615106783 / (z + 1) - 7.973335727 * x * y + 12.73323772 * y * z -
         4.195655221 * x * z - 8.413419363 / (x * y + 1) + 62.85125807 / (y * z + 1) +
         27.41832588 / (x * z + 1) - 5.114108079 * x * y * z - 46.97390071 / (x * y * z + 1);
}

RingModel::RingModel(const topology::Description& description)
    : cards_(static_cast<int>(description.cards.size())),
      edges_(description.cards.size() * description.cards.size()) {
  const std::size_t count = description.cards.size();
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < count; ++b) {
      if (a != b) {
        const std::size_t pair = topology::PairIndex(a, b, count);
        const topology::Link& link = description.links[pair];
        Edge& edge = edges_[a * count + b];
        edge.nvlinks = link.link_class == topology::LinkClass::kNvlink ? link.nvlinks : 0;
        edge.gbps = link.gbps;
        if (!description.measured_gbps.empty() && description.measured_gbps[pair] > 0) {
          edge.gbps = description.measured_gbps[pair];
        }
      }
    }
  }
}

RingFigures RingModel::Rings(topology::CardSet set) const {
  RingFigures figures;
  std::vector<int> order = topology::IndicesOf(set);
  if (order.size() < 2) {
    return figures;
  }
  bool first = true;
  do {  // the first card stays: a ring has no beginning
    RingEdges edges;
    int aggregate = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const Edge& edge = Of(order[i], order[(i + 1) % order.size()]);
      aggregate += edge.gbps;
      ++(edge.nvlinks == 0   ? edges.pcie
         : edge.nvlinks == 1 ? edges.single_nvlink
                             : edges.double_nvlink);
    }
    const double effective = EffectiveBandwidth(edges);
    if (first || aggregate > figures.best_aggregate) {
      figures.best_aggregate = aggregate;
      figures.effective_of_best = effective;
    }
    figures.best_effective = first ? effective : std::max(figures.best_effective, effective);
    first = false;
  } while (std::next_permutation(order.begin() + 1, order.end()));
  return figures;
}

int RingModel::NvlinkSum(topology::CardSet set) const {
  int sum = 0;
  const std::vector<int> cards = topology::IndicesOf(set);
  for (std::size_t i = 0; i < cards.size(); ++i) {
    for (std::size_t j = i + 1; j < cards.size(); ++j) {
      sum += IsNvlink(cards[i], cards[j]) ? Gbps(cards[i], cards[j]) : 0;
    }
  }
  return sum;
}

}  // namespace aliquot::simulate
