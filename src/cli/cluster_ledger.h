// SPDX-License-Identifier: Apache-2.0
#pragma once

// A ledger for one look at a cluster, with what it needs to live. Not thread-safe.

#include <vector>

#include "base/clock.h"
#include "cli/cluster_view.h"
#include "ledger/ledger.h"
#include "model/names.h"
#include "model/pod.h"
#include "scoring/placer.h"
#include "topology/node_topology.h"

namespace aliquot::cli {

class ClusterLedger {
 public:
  // Both must outlive it.
  ClusterLedger(const model::ResourceNames& names, const Clock& clock,
                const scoring::Policy& policy);

  ClusterView& view() { return view_; }
  const ledger::Ledger& ledger() const { return ledger_; }
  const scoring::Placer& placer() const { return placer_; }
  // Of all that was read: the pods that ask for our resources, in the order of the lists.
  const std::vector<model::Pod>& gpu_pods() const { return gpu_pods_; }

 private:
  const scoring::Placer placer_;
  topology::Catalog catalog_;
  ledger::Ledger ledger_;
  ClusterView view_;
  std::vector<model::Pod> gpu_pods_;
};

}  // namespace aliquot::cli
