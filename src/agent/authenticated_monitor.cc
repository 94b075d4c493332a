// SPDX-License-Identifier: Apache-2.0
#include "agent/authenticated_monitor.h"

#include <utility>

namespace aliquot::agent {
namespace {

// A worker may wait for the API server, or for a look through /proc: the others go on.
constexpr int kWorkers = 4;

http::ServerOptions OptionsOf(const Configuration& configuration) {
  http::ServerOptions options;
  options.listen_address = configuration.listen_authenticated;
  options.worker_threads = kWorkers;
  options.max_connections = 64;
  options.max_body_bytes = 1 << 10;
  options.max_buffered_bytes = 1 << 16;
  options.max_head_bytes = 16 << 10;  // a token has some 1,000 bytes
  http::TlsOptions tls;
  tls.certificate_file = configuration.tls.certificate_file;
  tls.key_file = configuration.tls.key_file;
  if (tls.certificate_file.empty()) {
    tls.self_signed_name = configuration.node_name;
  }
  options.tls = std::move(tls);
  return options;
}

}  // namespace

class AuthenticatedMonitor::Observer final : public http::ServerObserver {
 public:
  Observer(AgentMetrics& metrics, observability::Log& log) : metrics_(metrics), log_(log) {}

  void OnRequest(const http::RequestRecord& record) override { metrics_.CountPage(record.status); }
  void OnTlsReload(const Status& outcome) override {
    if (outcome.ok()) {
      log_.Info("http", "certificates reloaded", {{"listener", "authenticated"}});
    } else {
      log_.Warn("http", "new certificates cannot be used; the old ones stay",
                {{"listener", "authenticated"}, {"reason", outcome.message()}});
    }
  }
  void OnHandlerException(std::string_view route, std::string_view what) override {
    log_.Error("http", "a handler failed",
               {{"listener", "authenticated"}, {"route", route}, {"reason", what}});
  }

 private:
  AgentMetrics& metrics_;
  observability::Log& log_;
};

AuthenticatedMonitor::AuthenticatedMonitor(const Configuration& configuration,
                                           const MonitorSources& sources, Parts parts)
    : reviewer_(access::AgentPages(), parts.transport, parts.clock),
      guard_(reviewer_, parts.clock),
      observer_(std::make_unique<Observer>(parts.metrics, parts.log)),
      server_(
          OptionsOf(configuration),
          AuthenticatedRoutes(
              sources, [this](http::Handler handler) { return guard_.Guard(std::move(handler)); }),
          *observer_) {}

AuthenticatedMonitor::~AuthenticatedMonitor() = default;

Result<std::string> AuthenticatedMonitor::Start() { return server_.Start(); }

}  // namespace aliquot::agent
