// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "allocator/certificate_keeper.h"
#include "allocator/cluster_connection.h"
#include "allocator/configuration.h"
#include "allocator/decision_core.h"
#include "allocator/listeners.h"
#include "allocator/record_signer.h"
#include "base/status.h"
#include "observability/json_log.h"
#include "observability/metrics.h"
#include "program/addresses_file.h"
#include "program/problems.h"
#include "program/ticker.h"

namespace aliquot::allocator {

// The whole running allocator: cluster, ledger, verbs, listeners. main.cc and the integration tests
// drive the same object. Start and Drain once each, from one thread.
class Application {
 public:
  // Pre: the configuration was checked. The log must outlive it.
  Application(Configuration configuration, observability::JsonLog& log);
  // Ends at once; call Drain first for a clean end.
  ~Application();
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

  // Opens the cluster and the listeners and writes the addresses file. Ready only when both first
  // lists are complete. False and at least one problem when it can't run.
  bool Start(program::Problems& problems);
  const Addresses& addresses() const { return addresses_; }
  const Readiness& readiness() const { return core_->readiness(); }

  // Not ready, finish what is in flight, end the binds, let go of the cluster. DEADLINE_EXCEEDED
  // when requests were cut at the configured timeout.
  Status Drain();

 private:
  bool StartListeners(program::Problems& problems);
  void Tick();
  void StopCore();

  const Configuration configuration_;
  observability::JsonLog& log_;
  RealClock clock_;
  observability::Metrics metrics_;
  const Instruments instruments_;
  Addresses addresses_;

  // In the order in which they are needed; destroyed the other way round.
  CertificateKeeper keeper_;
  RecordSigner signer_;
  std::unique_ptr<ClusterConnection> cluster_;
  std::unique_ptr<DecisionCore> core_;
  std::unique_ptr<Listeners> listeners_;
  std::unique_ptr<program::Ticker> ticker_;
  bool stopped_ = false;
  bool trimmed_ = false;  // the ticker's
};

}  // namespace aliquot::allocator
