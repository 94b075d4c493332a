// SPDX-License-Identifier: Apache-2.0
#include "allocator/listeners.h"

#include <future>
#include <utility>

#include "allocator/monitor_routes.h"
#include "allocator/routes.h"

namespace aliquot::allocator {
namespace {

using observability::Listener;

http::ServerOptions CommonOptions(const Configuration& c, const std::string& address,
                                  std::int64_t threads) {
  http::ServerOptions options;
  options.listen_address = address;
  options.worker_threads = static_cast<int>(threads);
  options.max_connections = static_cast<std::size_t>(c.http.max_connections);
  options.max_body_bytes = static_cast<std::size_t>(c.http.max_body_bytes);
  options.max_buffered_bytes = static_cast<std::size_t>(c.http.max_buffered_bytes);
  options.handshake_timeout = c.http.handshake_timeout;
  options.receive_timeout = c.http.receive_timeout;
  options.send_timeout = c.http.send_timeout;
  options.idle_timeout = c.http.idle_timeout;
  options.server_timing = c.http.server_timing;
  return options;
}

http::ServerOptions ExtenderOptions(const Configuration& c) {
  http::ServerOptions options = CommonOptions(c, c.listen.extender, c.http.extender_threads);
  http::TlsOptions tls;
  tls.certificate_file = c.tls.certificate_file;
  tls.key_file = c.tls.key_file;
  tls.client_ca_file = c.tls.client_ca_file;
  tls.reload_interval = c.tls.reload_interval;
  options.tls = tls;
  return options;
}

// The API server shows no client certificate unless it is told to for each webhook; what the
// webhooks do is no secret and changes nothing but reservations that run out (stamp_ledger.h).
http::ServerOptions AdmissionOptions(const Configuration& c) {
  http::ServerOptions options = CommonOptions(c, c.listen.admission, c.http.admission_threads);
  const bool own = !c.tls.admission_certificate_file.empty();
  http::TlsOptions tls;
  tls.certificate_file = own ? c.tls.admission_certificate_file : c.tls.certificate_file;
  tls.key_file = own ? c.tls.admission_key_file : c.tls.key_file;
  tls.reload_interval = c.tls.reload_interval;
  options.tls = tls;
  return options;
}

http::ServerOptions MonitorOptions(const Configuration& c) {
  constexpr std::int64_t kThreads = 4;
  return CommonOptions(c, c.listen.monitor, kThreads);
}

}  // namespace

Listeners::Listeners(const Configuration& c, DecisionCore& core, const Instruments& instruments,
                     ClusterConnection& cluster)
    : extender_observer_(Listener::kExtender, instruments.metrics, instruments.log),
      admission_observer_(Listener::kAdmission, instruments.metrics, instruments.log),
      monitor_observer_(Listener::kMonitor, instruments.metrics, instruments.log),
      extender_(ExtenderOptions(c), SchedulerRoutes(core, instruments), extender_observer_),
      admission_(AdmissionOptions(c), AdmissionRoutes(core, instruments, cluster.own_username()),
                 admission_observer_),
      monitor_(MonitorOptions(c), MonitorRoutes(core, instruments), monitor_observer_) {
  if (!c.listen.authenticated.empty() && cluster.transport() != nullptr) {
    authenticated_ =
        std::make_unique<AuthenticatedListener>(c, core, instruments, *cluster.transport());
  }
}

Result<Addresses> Listeners::Start() {
  Addresses addresses;
  const std::tuple<std::string_view, http::Server*, std::string*> all[] = {
      {"extender listener", &extender_, &addresses.extender},
      {"admission listener", &admission_, &addresses.admission},
      {"monitor listener", &monitor_, &addresses.monitor}};
  for (const auto& [name, server, address] : all) {
    auto bound = server->Start();
    if (!bound.ok()) {
      return bound.status().WithContext(name);
    }
    *address = *std::move(bound);
  }
  if (authenticated_ != nullptr) {
    auto bound = authenticated_->Start();
    if (!bound.ok()) {
      return bound.status().WithContext("authenticated listener");
    }
    addresses.authenticated = *std::move(bound);
  }
  return addresses;
}

Status Listeners::DrainVerbs(std::chrono::milliseconds timeout) {
  std::future<Status> admission =
      std::async(std::launch::async, [this, timeout] { return admission_.Drain(timeout); });
  Status extender = extender_.Drain(timeout);
  Status other = admission.get();
  if (!extender.ok()) {
    return extender.WithContext("extender listener");
  }
  return other.ok() ? other : other.WithContext("admission listener");
}

void Listeners::StopMonitor() {
  constexpr std::chrono::milliseconds kForProbesInFlight{500};
  // Whoever still reads from it is cut: nothing depends on the answer any more.
  if (authenticated_ != nullptr) {
    static_cast<void>(authenticated_->Drain(kForProbesInFlight).ok());
  }
  static_cast<void>(monitor_.Drain(kForProbesInFlight).ok());
}

}  // namespace aliquot::allocator
