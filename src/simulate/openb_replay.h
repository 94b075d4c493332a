// SPDX-License-Identifier: Apache-2.0
#pragma once

// The inflation experiment of Weng et al., "Beware of Fragmentation" (USENIX ATC 2023), on the
// service's own decisions: pods arrive one after the other until they ask for more than the cluster
// has, none ever leaves, and one that fits nowhere is dropped. docs/reference/aliquotctl.md says
// each step. Pure but for the clock that measures; thread-safe across runs.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "scoring/policy.h"
#include "simulate/arrival_curve.h"
#include "simulate/arrivals.h"
#include "simulate/link_rules.h"
#include "simulate/openb_trace.h"
#include "simulate/simulated_cluster.h"

namespace aliquot::simulate {

struct OpenbTrace {
  std::vector<TraceNode> nodes;
  std::vector<TracePod> pods;
};

struct ReplayOptions {
  double arrivals = 1.3;  // asked GPUs, as a multiple of the cluster's
  std::uint64_t seed = 42;
  LinkRules links;
  ServiceOptions service;
};

// How well the sets of cards of pods with two GPUs and more are connected.
struct MultiCardFigures {
  std::size_t pods = 0;
  // Mean of (ring of the chosen set / best ring that was free on the chosen node); 1 for no pod.
  double ring_of_best = 1;
};

struct ReplayResult {
  std::uint64_t seed = 0;
  double arrivals = 0;                 // as asked
  ArrivalCurve allocated_percent;      // of all GPUs
  ArrivalCurve fragmentation_percent;  // idle but unusable to typical pods, of all GPUs
  std::size_t arrived_pods = 0;
  std::size_t failed_pods = 0;
  std::vector<std::chrono::nanoseconds> decisions;  // ascending
  MultiCardFigures multi_card;
};

// Told the part that is done, 0 to 1, now and then.
using Progress = std::function<void(double)>;

// The error: as InflatedArrivals, or a pod that the resource model refuses.
Result<ReplayResult> ReplayOpenb(const OpenbTrace& trace, const scoring::Policy& policy,
                                 const ReplayOptions& options, const Clock& clock,
                                 const Progress& progress = {});

}  // namespace aliquot::simulate
