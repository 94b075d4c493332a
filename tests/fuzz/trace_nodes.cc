// SPDX-License-Identifier: Apache-2.0
#include "simulate/openb_trace.h"
#include "tests/fuzz/fuzz_targets.h"

namespace aliquot::fuzz {

void TraceNodes(std::string_view input) {
  const auto nodes = simulate::ParseTraceNodes(input, "nodes.csv");
  if (!nodes.ok()) {
    Require(nodes.status().message().rfind("nodes.csv:", 0) == 0);
    return;
  }
  Require(!nodes->empty());
  for (const simulate::TraceNode& node : *nodes) {
    Require(!node.name.empty() && node.gpus >= 0 && node.gpus <= 64);
    Require(node.gpus == 0 || !node.model.empty());
    Require(node.host.cpu_milli >= 0 && node.host.memory_mib >= 0);
  }
}

}  // namespace aliquot::fuzz
