// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "access/access_guard.h"
#include "access/access_reviewer.h"
#include "allocator/configuration.h"
#include "allocator/decision_core.h"
#include "allocator/listener_observer.h"
#include "base/status.h"
#include "http/server.h"
#include "kubeclient/transport.h"

namespace aliquot::allocator {

// The listener that others than this pod reach: HTTPS with the extender's certificate, and every
// page but /healthz only for callers that the API server knows and lets read it
// (access/access_guard.h). Threads of its own, so that nothing that happens here is felt by the
// loopback listener. Start once.
class AuthenticatedListener {
 public:
  // Pre: configuration.listen.authenticated is not empty. All must outlive it.
  AuthenticatedListener(const Configuration& configuration, DecisionCore& core,
                        const Instruments& instruments, kubeclient::Transport& transport);

  // "host:port" as really bound.
  Result<std::string> Start() { return server_.Start(); }
  Status Drain(std::chrono::milliseconds timeout) { return server_.Drain(timeout); }

 private:
  access::ApiAccessReviewer reviewer_;
  access::AccessGuard guard_;
  ListenerObserver observer_;
  http::Server server_;
};

}  // namespace aliquot::allocator
