// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "access/access_guard.h"
#include "access/access_reviewer.h"
#include "agent/configuration.h"
#include "agent/monitor_routes.h"
#include "agent/usage/agent_metrics.h"
#include "base/clock.h"
#include "base/status.h"
#include "http/observer.h"
#include "http/server.h"
#include "kubeclient/transport.h"
#include "observability/log.h"

namespace aliquot::agent {

// The listener that others than this node reach: HTTPS, and every page but /healthz only for
// callers that the API server knows and lets read it (access/access_guard.h). Threads of its own,
// so that nothing that happens here is felt by the loopback listener. Start once.
class AuthenticatedMonitor {
 public:
  struct Parts {
    kubeclient::Transport& transport;
    const Clock& clock;
    AgentMetrics& metrics;
    observability::Log& log;
  };

  // Pre: configuration.listen_authenticated is not empty. All that the sources and the parts refer
  // to must outlive it.
  AuthenticatedMonitor(const Configuration& configuration, const MonitorSources& sources,
                       Parts parts);
  ~AuthenticatedMonitor();

  // "host:port" as really bound.
  Result<std::string> Start();

 private:
  class Observer;

  access::ApiAccessReviewer reviewer_;
  access::AccessGuard guard_;
  const std::unique_ptr<Observer> observer_;
  http::Server server_;
};

}  // namespace aliquot::agent
