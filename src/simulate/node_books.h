// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is left on each node of a replay, in the trace's own units: kube-scheduler's filter for
// processor and memory, and the figures that are reported. The service keeps its own books (the
// ledger) of whole percents. Not thread-safe.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/host.h"
#include "simulate/openb_trace.h"

namespace aliquot::simulate {

struct NodeBook {
  model::HostAmount host;      // free
  std::vector<int> gpu_milli;  // free, of each GPU
};

class NodeBooks {
 public:
  explicit NodeBooks(const std::vector<TraceNode>& nodes);

  std::size_t size() const { return nodes_.size(); }
  const NodeBook& node(std::size_t index) const { return nodes_[index]; }
  // NodeResourcesFit of kube-scheduler for processor and memory.
  bool HasHost(std::size_t index, const model::HostAmount& asked) const {
    const model::HostAmount& free = nodes_[index].host;
    return asked.cpu_milli <= free.cpu_milli && asked.memory_mib <= free.memory_mib;
  }

  // False when the pod was given what is not there: other than pod.gpus different GPUs of the node,
  // or more than is left of one, of the processor or of memory. It is booked all the same.
  bool Take(std::size_t index, const TracePod& pod, const std::vector<int>& gpus);
  // Gives back what Take took.
  void Give(std::size_t index, const TracePod& pod, const std::vector<int>& gpus);

  // Of all nodes, in 1/1000 of a GPU.
  std::int64_t taken_milli() const { return taken_milli_; }

 private:
  std::vector<NodeBook> nodes_;
  std::int64_t taken_milli_ = 0;
};

}  // namespace aliquot::simulate
