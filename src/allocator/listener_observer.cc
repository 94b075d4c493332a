// SPDX-License-Identifier: Apache-2.0
#include "allocator/listener_observer.h"

namespace aliquot::allocator {

std::string_view ListenerObserver::name() const {
  switch (listener_) {
    case observability::Listener::kExtender:
      return "extender";
    case observability::Listener::kAdmission:
      return "admission";
    case observability::Listener::kAuthenticated:
      return "authenticated";
    case observability::Listener::kMonitor:
      break;
  }
  return "monitor";
}

void ListenerObserver::OnRequest(const http::RequestRecord& record) {
  metrics_.CountHttpResponse(listener_, record.status);
  if (record.status != 200) {
    log_.Debug("http", "request not answered with 200",
               {{"listener", name()}, {"route", record.route}, {"status", record.status}});
  }
}

void ListenerObserver::OnConnectionCount(std::size_t open) {
  metrics_.SetConnections(listener_, open);
}

void ListenerObserver::OnConnectionFailed(std::string_view remote_address,
                                          std::string_view reason) {
  metrics_.CountConnectionFailure(listener_);
  log_.Info("http", "connection failed",
            {{"listener", name()}, {"remote", remote_address}, {"reason", reason}});
}

void ListenerObserver::OnTlsReload(const Status& outcome) {
  metrics_.CountTlsReload(listener_, outcome.ok());
  metrics_.SetDegraded(observability::Degraded::kTlsReloadFailed, !outcome.ok());
  if (outcome.ok()) {
    log_.Info("http", "certificates reloaded", {{"listener", name()}});
  } else {
    log_.Warn("http", "new certificates cannot be used; the old ones stay",
              {{"listener", name()}, {"reason", outcome.message()}});
  }
}

void ListenerObserver::OnHandlerException(std::string_view route, std::string_view what) {
  log_.Error("http", "a handler failed",
             {{"listener", name()}, {"route", route}, {"reason", what}});
}

}  // namespace aliquot::allocator
