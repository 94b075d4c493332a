// SPDX-License-Identifier: Apache-2.0
#include "simulate/mapa_jobs.h"
#include "tests/fuzz/fuzz_targets.h"

namespace aliquot::fuzz {

void JobFiles(std::string_view input) {
  const auto jobs = simulate::ParseMapaJobs(input, "jobs.csv");
  if (!jobs.ok()) {
    Require(jobs.status().message().rfind("jobs.csv:", 0) == 0);
    return;
  }
  for (const simulate::MapaJob& job : *jobs) {
    Require(job.gpus >= 1 && job.gpus <= simulate::kMostGpusOfJob && job.service >= 0);
  }
}

}  // namespace aliquot::fuzz
