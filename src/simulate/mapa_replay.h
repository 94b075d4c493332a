// SPDX-License-Identifier: Apache-2.0
#pragma once

// MAPA's evaluation: the jobs of a file queue at time 0 for the GPUs of one node, first in first
// out; the head of the queue blocks the others; a job holds its GPUs alone for its service time,
// whatever its bandwidth. Source: topology and simulator of socal-ucr/MAPA.

#include <cstddef>
#include <vector>

#include "base/status.h"
#include "simulate/effective_bandwidth.h"
#include "simulate/mapa_jobs.h"
#include "simulate/mapa_policy.h"

namespace aliquot::simulate {

// The effective bandwidth of each job with two GPUs and more, in GB/s, in the order they started.
struct MapaBandwidths {
  std::vector<double> sensitive;
  std::vector<double> insensitive;
};

struct MapaOutcome {
  std::size_t jobs = 0;
  // Of the best ring that a job's GPUs offer: one yardstick for every policy.
  MapaBandwidths best_order;
  // Of the ring in the order that the policy looked for, as MAPA's figures count.
  MapaBandwidths own_order;
};

// Adds to `outcome`, so that several files can be counted together. The error: a job with more GPUs
// than the node has.
Status ReplayMapa(const RingModel& model, const std::vector<MapaJob>& jobs, MapaPolicy& policy,
                  MapaOutcome& outcome);

struct BandwidthSummary {
  std::size_t jobs = 0;
  double mean = 0;
  double p25 = 0;
  double median = 0;
};

// Percentiles are linear between the two nearest ranks. Zeros for no job.
BandwidthSummary SummaryOf(std::vector<double> bandwidths);

}  // namespace aliquot::simulate
