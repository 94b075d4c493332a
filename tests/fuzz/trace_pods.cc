// SPDX-License-Identifier: Apache-2.0
#include "simulate/openb_trace.h"
#include "tests/fuzz/fuzz_targets.h"

namespace aliquot::fuzz {

void TracePods(std::string_view input) {
  const auto pods = simulate::ParseTracePods(input, "pods.csv");
  if (!pods.ok()) {
    Require(pods.status().message().rfind("pods.csv:", 0) == 0);
    return;
  }
  Require(!pods->empty());
  for (const simulate::TracePod& pod : *pods) {
    Require(!pod.name.empty() && pod.host.cpu_milli >= 0 && pod.host.memory_mib >= 0);
    Require(pod.gpus == 0 ? pod.gpu_milli == 0 : pod.gpu_milli >= 1 && pod.gpu_milli <= 1000);
    Require(pod.gpus <= 1 || pod.gpu_milli == 1000);
    Require(!pod.life_seconds || *pod.life_seconds >= 0);
  }
}

}  // namespace aliquot::fuzz
