// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "base/clock.h"
#include "kubeclient/list_watch.h"
#include "kubeclient/transport.h"
#include "model/cluster.h"
#include "model/names.h"

namespace aliquot::kubeclient {

struct ClusterSourceOptions {
  model::ResourceNames names;
  // How often all pods without our label are looked through for ones that ask for our resources all
  // the same: the webhook was down or is not installed, or somebody took the label off; and what
  // the others request of processor and memory is summed up. From the end of one look to the start
  // of the next. 0 = never.
  std::chrono::seconds unlabelled_scan_period{45};
  std::uint64_t seed = 0;  // of the jitter; 0 = from the operating system
  // Time-outs and limits of both watches and of the scan; resource, verbs and selector are set by
  // the source.
  ListWatchOptions watch;
};

// The API server's cluster, told to an observer: all nodes, the pods labelled aliquot.io/gpu=true,
// all disruption budgets, and from time to time the pods that should carry the label. Four threads
// of its own; the observer's
// calls about pods never overlap, whichever thread they come from. What the scan reports may have
// gone since: ask with ClusterWriter::GetPod before counting on it.
class ClusterSource {
 public:
  // All references must outlive it.
  ClusterSource(ClusterSourceOptions options, Transport& transport, const Clock& clock,
                model::ClusterObserver& observer, ListWatchObserver& watch_observer);
  ~ClusterSource();
  ClusterSource(const ClusterSource&) = delete;
  ClusterSource& operator=(const ClusterSource&) = delete;

  void Start();
  void Stop();

  // The lists of nodes and pods are complete. Disruption budgets only refine what is chosen, so
  // nobody waits for them.
  bool synced() const;
  SteadyTime nodes_last_heard() const;
  SteadyTime pods_last_heard() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace aliquot::kubeclient
