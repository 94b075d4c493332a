// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which pods arrive, in which order, in the inflation experiment of Weng et al., "Beware of
// Fragmentation" (USENIX ATC 2023), as their simulator (hkust-adsl/kubernetes-scheduler-simulator)
// does it. Pure but for the random stream.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "simulate/openb_trace.h"
#include "simulate/random_stream.h"

namespace aliquot::simulate {

// Past it a run takes hours: a trace of tiny shares on a large cluster is refused instead.
inline constexpr std::size_t kMostArrivals = 2'000'000;

struct Arrival {
  std::size_t pod = 0;  // index into the trace
  int copy = 0;         // 0: the pod itself; 1, 2, ..: its clones
};

// The pods sorted by name and shuffled, then grown or cut until they ask for `ratio` times the
// cluster's GPUs:
//   grown  clones of pods drawn uniformly, CPU-only ones included, from the sorted list. Ends at
//   the
//          first draw that would exceed the limit, counting one GPU of the drawn pod only: so the
//          original has it. What is added counts in full.
//   cut    while they ask for more, a pod drawn uniformly from those left is taken away.
// The error: the trace asks for no GPU, the cluster has none, or more than kMostArrivals arrive.
Result<std::vector<Arrival>> InflatedArrivals(const std::vector<TracePod>& pods, double ratio,
                                              std::int64_t cluster_milli, RandomStream& random);

}  // namespace aliquot::simulate
