// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads node and pod lists in the format of Alibaba's cluster-trace-gpu-v2023 ("openb"):
//   nodes  sn,cpu_milli,memory_mib,gpu,model
//   pods   name,cpu_milli,memory_mib,num_gpu,gpu_milli and, where there, gpu_spec, creation_time,
//          deletion_time (seconds)
// Columns are found by name; any other is ignored. Pure, thread-safe. Units: 1/1000 of a core, MiB,
// 1/1000 of a GPU. Errors: one sentence with file, line, value and remedy.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "model/host.h"

namespace aliquot::simulate {

inline constexpr int kGpuMilli = 1000;  // a whole GPU

struct TraceNode {
  std::string name;
  model::HostAmount host;
  int gpus = 0;
  std::string model;  // "" only where there is no GPU
};

struct TracePod {
  std::string name;
  model::HostAmount host;
  int gpus = 0;
  int gpu_milli = 0;                // of each GPU; 0 where gpus is 0, below 1000 only where it is 1
  std::vector<std::string> models;  // sorted, each once; empty = any
  std::optional<double> life_seconds;

  std::int64_t total_milli() const { return std::int64_t{gpus} * gpu_milli; }
  bool shared() const { return gpus == 1 && gpu_milli < kGpuMilli; }
};

Result<std::vector<TraceNode>> ParseTraceNodes(std::string_view text, const std::string& file);
Result<std::vector<TracePod>> ParseTracePods(std::string_view text, const std::string& file);

// Over all nodes, in 1/1000 of a GPU.
std::int64_t TotalGpuMilli(const std::vector<TraceNode>& nodes);

}  // namespace aliquot::simulate
