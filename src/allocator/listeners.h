// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "allocator/authenticated_listener.h"
#include "allocator/cluster_connection.h"
#include "allocator/configuration.h"
#include "allocator/decision_core.h"
#include "allocator/listener_observer.h"
#include "base/status.h"
#include "http/server.h"

namespace aliquot::allocator {

// "host:port" of each listener as really bound.
struct Addresses {
  std::string extender;
  std::string admission;
  std::string monitor;
  std::string authenticated;  // "" while it is off
};

// The listeners, each with its own threads. Start once, then drain in the order given below.
// The core and the instruments must outlive it.
class Listeners {
 public:
  Listeners(const Configuration& configuration, DecisionCore& core, const Instruments& instruments,
            ClusterConnection& cluster);

  // All or an error that says which one could not start and why.
  Result<Addresses> Start();
  // Extender and admission at the same time: finishes requests in flight, takes no new ones.
  Status DrainVerbs(std::chrono::milliseconds timeout);
  // Both that show pages, last, so that probes and metrics see the drain.
  void StopMonitor();

 private:
  ListenerObserver extender_observer_;
  ListenerObserver admission_observer_;
  ListenerObserver monitor_observer_;
  http::Server extender_;
  http::Server admission_;
  http::Server monitor_;
  std::unique_ptr<AuthenticatedListener> authenticated_;  // null while it is off
};

}  // namespace aliquot::allocator
