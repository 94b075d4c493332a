// SPDX-License-Identifier: Apache-2.0
#pragma once

// How much idle GPU the expected pods could not use: F_n(M) of Weng et al., "Beware of
// Fragmentation" (USENIX ATC 2023), section 4. A yardstick of the replay, apart from any policy.
// Pure, thread-safe. Units: 1/1000 of a GPU, 1/1000 of a core. Memory is left out, as there.

#include <cstdint>
#include <string>
#include <vector>

#include "simulate/openb_trace.h"

namespace aliquot::simulate {

// Pods of one kind.
struct TypicalPod {
  std::int64_t cpu_milli = 0;
  int gpus = 0;
  int gpu_milli = 0;
  std::vector<std::string> models;  // empty = any
  double share = 0;                 // of all typical pods; the shares add up to 1
};

// The kinds (cores, GPUs, milli of each, models) of the trace from the most frequent down until
// they cover 95 % of the pods, CPU-only ones included. Equals are ordered by what they ask for.
std::vector<TypicalPod> TypicalPods(const std::vector<TracePod>& pods);

// The typical pods as nodes of one model meet them.
class FragmentationMeter {
 public:
  FragmentationMeter(const std::vector<TypicalPod>& pods, const std::string& model);

  // Expected idle GPU of a node that a typical pod could not use. For a pod
  //   without GPU:                                  all that is idle;
  //   of another model, short of cores, or short of GPUs with as much left as it asks: all of it;
  //   else:                                         the GPUs with less left than it asks.
  double Of(std::int64_t cpu_milli_free, const std::vector<int>& gpu_milli_free) const;

 private:
  std::vector<TypicalPod> fitting_;  // kinds that ask for GPUs and may run on the model
  double never_ = 0;                 // share of all the others
};

}  // namespace aliquot::simulate
