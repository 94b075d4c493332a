// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "allocator/configuration.h"
#include "base/clock.h"
#include "base/status.h"
#include "kubeclient/transport.h"
#include "model/cluster.h"
#include "observability/log.h"
#include "observability/metrics.h"
#include "program/problems.h"

namespace aliquot::allocator {

// The cluster that the allocator works for, whichever kind: where its state comes from and where
// our writes go. Start and Stop once each, from one thread; the writer is thread-safe.
class ClusterConnection {
 public:
  virtual ~ClusterConnection() = default;

  // Begins to tell the observer, from threads of its own. The observer must outlive Stop.
  virtual void Start(model::ClusterObserver& observer) = 0;
  // No call of the observer runs or follows. The writer still works, until the destructor.
  virtual void Stop() = 0;
  virtual model::ClusterWriter& writer() = 0;
  // For questions besides; nullptr where there is no API server. Works until the destructor.
  virtual kubeclient::Transport* transport() = 0;
  // The name under which the API server knows us; "" where there is none or it cannot be told.
  virtual std::string own_username() const = 0;
};

// The cluster that the configuration names: a cluster file, or the API server of a kubeconfig or of
// the pod's service account. Opens the files, sends nothing yet. Everything referred to must
// outlive it. nullptr and at least one problem when it can't be used.
std::unique_ptr<ClusterConnection> ConnectCluster(const Configuration& configuration,
                                                  const Clock& clock,
                                                  observability::Metrics& metrics,
                                                  observability::Log& log,
                                                  program::Problems& problems);

}  // namespace aliquot::allocator
