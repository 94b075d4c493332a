// SPDX-License-Identifier: Apache-2.0
#pragma once

// Pods that come and go at a steady load, on the service's own decisions. The trace's own times
// cannot drive such a test (at its busiest hour it asks for 1 % of its cluster), so only its
// requests and the shape of its lives are kept:
//   arrivals  Poisson, each a pod of the trace drawn uniformly
//   lives     the drawn pod's own, divided by the mean of all, so that the mean life is 1;
//   exponential
//             with mean 1 where the trace gives none
//   rate      such that the pods at hand would ask for `load` times the cluster's GPUs if every one
//             were placed
//   start     as many pods as that, each drawn with a chance in proportion to its life and with a
//             uniform part of it left: the state in which an endless cluster would be
// After a warm-up of one mean life, ten are measured. Pure but for the clock; thread-safe across
// runs.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "base/status.h"
#include "scoring/policy.h"
#include "simulate/openb_replay.h"

namespace aliquot::simulate {

inline constexpr double kWarmUpLives = 1;
inline constexpr double kMeasuredLives = 10;

struct ChurnOptions {
  double load = 0.9;
  std::uint64_t seed = 42;
  ServiceOptions service;
};

// Kinds of pods by the GPUs they ask for.
inline constexpr std::array<std::string_view, 7> kPodClasses = {"cpu-only", "share", "1",    "2",
                                                                "4",        "8",     "other"};
std::size_t PodClassOf(const TracePod& pod);

struct ClassCount {
  std::size_t arrived = 0;
  std::size_t refused = 0;
};

struct ChurnResult {
  std::uint64_t seed = 0;
  double mean_allocated_percent = 0;  // of all GPUs, over time
  std::array<ClassCount, kPodClasses.size()> classes;
};

// The error: no pod asks for a GPU, no node has one, a pod that the resource model refuses, or more
// than kMostArrivals arrivals.
Result<ChurnResult> ReplayChurn(const OpenbTrace& trace, const scoring::Policy& policy,
                                const ChurnOptions& options, const Clock& clock,
                                const Progress& progress = {});

}  // namespace aliquot::simulate
