// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which free GPUs of one node a job gets: our own chooser, and MAPA's policies to compare with
// (Ranganath et al., SC'21, arXiv 2110.03214; socal-ucr/MAPA). Not thread-safe: a policy remembers
// the sets it has measured.

#include <memory>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "simulate/effective_bandwidth.h"
#include "simulate/mapa_jobs.h"
#include "topology/card_set.h"
#include "topology/description.h"

namespace aliquot::simulate {

class MapaPolicy {
 public:
  virtual ~MapaPolicy() = default;

  // Pre: `free` has at least job.gpus cards.
  virtual topology::CardSet Choose(topology::CardSet free, const MapaJob& job) = 0;
  // The order of its GPUs that the job's ring takes: the one with the highest effective bandwidth,
  // else the one with the highest sum of GB/s.
  virtual bool rings_by_effective_bandwidth(const MapaJob& job) const = 0;
};

// The lowest free ids.
std::unique_ptr<MapaPolicy> MakeMapaBaseline();
// The first free set inside one socket group (of 4 GPUs, 3 on a node of 6) if the job is smaller
// than the group, else as baseline.
std::unique_ptr<MapaPolicy> MakeMapaTopoAware(int cards);
// The highest sum of GB/s along a ring. The model must outlive it, as below.
std::unique_ptr<MapaPolicy> MakeMapaGreedy(const RingModel& model);
// Sensitive jobs: the highest effective bandwidth. Others, and single GPUs: the set that leaves the
// most NVLink GB/s free, of equals the highest sum along a ring. The first of equals by index.
std::unique_ptr<MapaPolicy> MakeMapaPreserve(const RingModel& model);

// The names that --policy takes for these.
const std::vector<std::string_view>& MapaPolicyNames();
// nullptr when the name is none of them.
std::unique_ptr<MapaPolicy> MakeMapaPolicy(std::string_view name, const RingModel& model);

}  // namespace aliquot::simulate
