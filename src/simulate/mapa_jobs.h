// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads job files in the format of MAPA's generator (socal-ucr/jobGenerator), which have no header:
//   numGpus,pattern,arrival,service,bwSensitive,task
// Pure, thread-safe. `arrival` is read and not used: MAPA's simulator queues every job at time 0.
// Units: ticks. Errors: one sentence with file, line, value and remedy.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace aliquot::simulate {

// The bandwidth model is fitted to jobs of up to 5 GPUs; the order of a larger ring is looked for
// among (gpus - 1)! ones.
inline constexpr int kMostGpusOfJob = 8;

struct MapaJob {
  int gpus = 1;
  std::int64_t service = 0;
  bool sensitive = false;  // to bandwidth

  // A job with one GPU has no ring.
  bool counts_links() const { return gpus > 1; }
};

Result<std::vector<MapaJob>> ParseMapaJobs(std::string_view text, const std::string& file);

}  // namespace aliquot::simulate
