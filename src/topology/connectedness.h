// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace aliquot::topology {

// How well a set of cards is connected, compared member by member, larger is better except
// `numa_nodes`. The objective is that of docs/reference/scoring.md: the best ring's smallest edge,
// then the sum over pairs, then fewest NUMA nodes. Units: GB/s one way.
struct Connectedness {
  int ring_gbps = 0;   // the smallest edge of the best ring; of a pair, its link; of one card, 0
  int total_gbps = 0;  // sum over all pairs
  int numa_nodes = 0;  // different NUMA nodes; an unknown one counts as one more

  bool BetterThan(const Connectedness& other) const {
    if (ring_gbps != other.ring_gbps) {
      return ring_gbps > other.ring_gbps;
    }
    if (total_gbps != other.total_gbps) {
      return total_gbps > other.total_gbps;
    }
    return numa_nodes < other.numa_nodes;
  }
};

}  // namespace aliquot::topology
