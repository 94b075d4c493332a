// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace aliquot::bench {

// The cluster of the benchmarks: nodes of eight 80 GiB cards, about 70 % of their core taken by a
// mix of whole cards and shares that differs from node to node in a fixed pattern. Deterministic.

struct BenchCard {
  int core_used = 0;  // percent
  int mib_used = 0;
};

inline constexpr int kCardsPerNode = 8;
inline constexpr int kCardMib = 81920;

struct BenchPod {
  int core = 0;    // percent; 100 and up are whole cards
  int memory = 0;  // units of 256 MiB; 0 for whole cards
  std::vector<int> cards;
};

std::string NodeName(int node, int nodes);
// The pods on one node.
std::vector<BenchPod> PodsOnNode(int node);
// What they take of its cards.
std::vector<BenchCard> CardsOfNode(int node);

// The cluster as a file for --cluster (docs/reference/cluster-file.md).
void WriteClusterFile(int nodes, std::ostream& out);

}  // namespace aliquot::bench
