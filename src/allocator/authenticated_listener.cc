// SPDX-License-Identifier: Apache-2.0
#include "allocator/authenticated_listener.h"

#include <utility>

#include "allocator/monitor_routes.h"

namespace aliquot::allocator {
namespace {

http::ServerOptions OptionsOf(const Configuration& c) {
  http::ServerOptions options;
  options.listen_address = c.listen.authenticated;
  // A worker may wait for the API server: the others go on.
  options.worker_threads = 4;
  options.max_connections = 64;
  options.max_body_bytes = 1 << 10;
  options.max_buffered_bytes = 1 << 16;
  options.max_head_bytes = 16 << 10;  // a token has some 1,000 bytes
  http::TlsOptions tls;
  tls.certificate_file = c.tls.certificate_file;
  tls.key_file = c.tls.key_file;
  tls.reload_interval = c.tls.reload_interval;
  options.tls = std::move(tls);
  return options;
}

}  // namespace

AuthenticatedListener::AuthenticatedListener(const Configuration& configuration, DecisionCore& core,
                                             const Instruments& instruments,
                                             kubeclient::Transport& transport)
    : reviewer_(access::AllocatorPages(), transport, instruments.clock),
      guard_(reviewer_, instruments.clock),
      observer_(observability::Listener::kAuthenticated, instruments.metrics, instruments.log),
      server_(OptionsOf(configuration),
              AuthenticatedRoutes(
                  core, instruments,
                  [this](http::Handler handler) { return guard_.Guard(std::move(handler)); }),
              observer_) {}

}  // namespace aliquot::allocator
