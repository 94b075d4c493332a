// SPDX-License-Identifier: Apache-2.0
#include "simulate/node_books.h"

#include <algorithm>

namespace aliquot::simulate {

NodeBooks::NodeBooks(const std::vector<TraceNode>& nodes) {
  nodes_.reserve(nodes.size());
  for (const TraceNode& node : nodes) {
    nodes_.push_back({node.host, std::vector<int>(static_cast<std::size_t>(node.gpus), kGpuMilli)});
  }
}

bool NodeBooks::Take(std::size_t index, const TracePod& pod, const std::vector<int>& gpus) {
  NodeBook& node = nodes_[index];
  bool right = HasHost(index, pod.host) && gpus.size() == static_cast<std::size_t>(pod.gpus);
  node.host -= pod.host;
  for (const int gpu : gpus) {
    right = right && std::count(gpus.begin(), gpus.end(), gpu) == 1;
    int& left = node.gpu_milli[static_cast<std::size_t>(gpu)];
    left -= pod.gpu_milli;
    right = right && left >= 0;
  }
  taken_milli_ += pod.total_milli();
  return right;
}

void NodeBooks::Give(std::size_t index, const TracePod& pod, const std::vector<int>& gpus) {
  NodeBook& node = nodes_[index];
  node.host += pod.host;
  for (const int gpu : gpus) {
    node.gpu_milli[static_cast<std::size_t>(gpu)] += pod.gpu_milli;
  }
  taken_milli_ -= pod.total_milli();
}

}  // namespace aliquot::simulate
