// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "http/observer.h"
#include "observability/log.h"
#include "observability/metrics.h"

namespace aliquot::allocator {

// Turns what one listener tells into metrics and log lines. Thread-safe; metrics and log must
// outlive it.
class ListenerObserver final : public http::ServerObserver {
 public:
  ListenerObserver(observability::Listener listener, observability::Metrics& metrics,
                   observability::Log& log)
      : listener_(listener), metrics_(metrics), log_(log) {}

  void OnRequest(const http::RequestRecord& record) override;
  void OnConnectionCount(std::size_t open) override;
  void OnConnectionFailed(std::string_view remote_address, std::string_view reason) override;
  void OnTlsReload(const Status& outcome) override;
  void OnHandlerException(std::string_view route, std::string_view what) override;

 private:
  std::string_view name() const;

  const observability::Listener listener_;
  observability::Metrics& metrics_;
  observability::Log& log_;
};

}  // namespace aliquot::allocator
