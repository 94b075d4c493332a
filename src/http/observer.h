// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

#include "base/status.h"

namespace aliquot::http {

struct RequestRecord {
  std::string_view
      route;  // a registered path, or "" for a request that matched none: bounded for metrics
  int status = 0;
  // From the last byte of the request read to the first byte of the reply written.
  std::chrono::nanoseconds server_time{0};
  // The handler's part of it.
  std::chrono::nanoseconds handler_time{0};
  std::size_t request_body_bytes = 0;
  std::size_t response_body_bytes = 0;
};

// What a server tells the outside. Called from its threads, often: implementations are thread-safe,
// quick and do not throw. Views are valid during the call only.
class ServerObserver {
 public:
  virtual ~ServerObserver() = default;
  virtual void OnRequest(const RequestRecord& /*record*/) {}
  // The number of open connections after one was opened or closed.
  virtual void OnConnectionCount(std::size_t /*open*/) {}
  // A connection that ended without a request being answered, and why ("tls handshake: ..."). The
  // text may hold bytes from outside and is printable.
  virtual void OnConnectionFailed(std::string_view /*remote_address*/,
                                  std::string_view /*reason*/) {}
  // A changed certificate, key or client CA was taken (OK), or refused: then the old material stays
  // in use.
  virtual void OnTlsReload(const Status& /*outcome*/) {}
  // A handler threw. The text goes to the log only.
  virtual void OnHandlerException(std::string_view /*route*/, std::string_view /*what*/) {}
};

}  // namespace aliquot::http
