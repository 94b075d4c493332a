// SPDX-License-Identifier: Apache-2.0
#include "bench/bench_cluster.h"

namespace aliquot::bench {
namespace {

std::string PaddedNumber(int number, int count) {
  std::string digits = std::to_string(number);
  const std::size_t width = std::to_string(count - 1).size();
  return std::string(width > digits.size() ? width - digits.size() : 0, '0') + digits;
}

}  // namespace

std::string NodeName(int node, int nodes) {
  return "gpu-worker-pool-a-" + PaddedNumber(node, nodes);
}

std::vector<BenchPod> PodsOnNode(int node) {
  // Five patterns; over five nodes 2,800 of 4,000 % are taken.
  switch (node % 5) {
    case 0:  // 800 %: full
      return {{800, 0, {0, 1, 2, 3, 4, 5, 6, 7}}};
    case 1:  // 620 %: whole cards and two shared ones
      return {{400, 0, {0, 1, 2, 3}}, {100, 0, {4}}, {50, 160, {5}},
              {20, 64, {5}},          {20, 64, {6}}, {30, 96, {6}}};
    case 2:  // 560 %: shares on every card
      return {{70, 200, {0}}, {70, 200, {1}}, {70, 200, {2}}, {70, 200, {3}},
              {70, 200, {4}}, {70, 200, {5}}, {70, 200, {6}}, {70, 200, {7}}};
    case 3:  // 480 %
      return {{200, 0, {0, 1}}, {90, 300, {2}}, {60, 100, {3}}, {30, 100, {3}},
              {40, 80, {4}},    {30, 80, {5}},  {30, 60, {5}}};
    default:  // 340 %
      return {{100, 0, {0}},  {100, 0, {1}}, {50, 150, {2}},
              {50, 150, {2}}, {25, 60, {3}}, {15, 40, {3}}};
  }
}

std::vector<BenchCard> CardsOfNode(int node) {
  std::vector<BenchCard> cards(kCardsPerNode);
  for (const BenchPod& pod : PodsOnNode(node)) {
    for (const int card : pod.cards) {
      BenchCard& taken = cards[static_cast<std::size_t>(card)];
      taken.core_used += pod.core >= 100 ? 100 : pod.core;
      taken.mib_used += pod.core >= 100 ? kCardMib : pod.memory * 256;
    }
  }
  return cards;
}

void WriteClusterFile(int nodes, std::ostream& out) {
  out << "apiVersion: aliquot.io/v1alpha1\nkind: Cluster\nnodeClasses:\n"
      << "  - name: worker\n    count: " << nodes << "\n    namePrefix: gpu-worker-pool-a-\n"
      << "    cards: {count: 8, model: A100-SXM4-80GB, mib: " << kCardMib
      << ", numa: [0, 0, 0, 0, 1, 1, 1, 1]}\n    links: {default: NV12}\npods:\n";
  for (int node = 0; node < nodes; ++node) {
    int number = 0;
    for (const BenchPod& pod : PodsOnNode(node)) {
      out << "  - {name: p-" << node << "-" << number++ << ", node: " << NodeName(node, nodes)
          << ", containers: [{name: main, core: " << pod.core;
      if (pod.memory > 0) {
        out << ", memory: " << pod.memory;
      }
      out << ", cards: [";
      for (std::size_t i = 0; i < pod.cards.size(); ++i) {
        out << (i == 0 ? "" : ", ") << pod.cards[i];
      }
      out << "]}]}\n";
    }
  }
}

}  // namespace aliquot::bench
