// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a policy may expect of the pods to come. Immutable and shared once built; thread-safe.
// Units: 1/1000 of a core, MiB, percent of a card.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/host.h"

namespace aliquot::scoring {

// Pods that ask for the same.
struct PodClass {
  model::HostAmount host;
  int cards = 0;  // 0: a pod without GPU
  int core = 0;   // percent of each card; 100 for whole ones
  // Names of the models it may run on, sorted; empty = any.
  std::vector<std::string> models;
  std::int64_t weight = 0;  // how often, beside the others
};

// The expected mix of pods at one time. Ranks of two outlooks do not compare, so a request uses one
// from end to end and kept ranks carry its epoch.
struct Outlook {
  // Grows with every outlook of one source; 0 = nothing is known.
  std::uint64_t epoch = 0;
  std::vector<PodClass> classes;  // the most frequent first

  // Nothing is known. Lives as long as the program.
  static const Outlook& Unknown();
};

}  // namespace aliquot::scoring
