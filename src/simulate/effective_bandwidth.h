// SPDX-License-Identifier: Apache-2.0
#pragma once

// MAPA's model of the bandwidth that a ring of GPUs reaches (Ranganath et al., SC'21, arXiv
// 2110.03214): a least-squares fit on the numbers of its edges over two and more NVLinks, one
// NVLink, and PCIe. It was fitted to V100 machines and jobs of up to 5 GPUs and is not monotone
// beyond. Thread-safe. Units: GB/s.

#include <vector>

#include "topology/card_set.h"
#include "topology/description.h"

namespace aliquot::simulate {

struct RingEdges {
  int double_nvlink = 0;
  int single_nvlink = 0;
  int pcie = 0;
};

// A pair's edge counts twice, there and back: 58.9 for two NVLinks, 27.7 for one, 10.4 for PCIe.
double EffectiveBandwidth(const RingEdges& edges);

// The rings of one set of cards.
struct RingFigures {
  double best_effective = 0;     // the highest of any order of the cards
  int best_aggregate = 0;        // the highest sum of the edges' GB/s
  double effective_of_best = 0;  // of the first order with that sum
};

// How the cards of one node are linked, for MAPA's measures.
class RingModel {
 public:
  // Pre: `description` has links, as every reader gives but NCCL's.
  explicit RingModel(const topology::Description& description);

  int cards() const { return cards_; }
  int Gbps(int a, int b) const { return Of(a, b).gbps; }
  bool IsNvlink(int a, int b) const { return Of(a, b).nvlinks > 0; }

  // Looks through every order of the cards. Zeros for fewer than two.
  RingFigures Rings(topology::CardSet set) const;
  // Sum of the NVLinks' GB/s among the cards.
  int NvlinkSum(topology::CardSet set) const;

 private:
  struct Edge {
    int gbps = 0;
    int nvlinks = 0;
  };
  const Edge& Of(int a, int b) const {
    return edges_[static_cast<std::size_t>(a) * static_cast<std::size_t>(cards_) +
                  static_cast<std::size_t>(b)];
  }

  int cards_ = 0;
  std::vector<Edge> edges_;  // square, row by row
};

}  // namespace aliquot::simulate
