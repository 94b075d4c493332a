// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>

#include "base/clock.h"
#include "http/connection.h"
#include "http/observer.h"
#include "http/router.h"

namespace aliquot::http {

// Answers a request that the connection's framer has completed or refused: cpp-httplib reads the
// request line (percent-decoding, query) and writes the reply; in between the router's handler
// runs. cpp-httplib gets neither header fields nor body: those parts of it are where its known
// weaknesses are, and the framer has dealt with both. One engine per worker; not thread-safe.
class ReplyEngine {
 public:
  // All references outlive the engine. `draining` is asked when the handler has returned: it may
  // have waited while the server began to stop, and then its reply is the last of its connection.
  // `server_timing` adds the header of that name.
  ReplyEngine(const Router& router, ServerObserver& observer, const std::atomic<bool>& draining,
              bool server_timing);
  ~ReplyEngine();

  // Writes as much of the reply as the socket takes; the rest is in connection.unsent. Sets
  // connection.close_after_reply and tells the client so. `received` is when the
  // last byte of the request was read. kFailed and kClosed as from Transport::Write.
  Transport::Outcome Answer(Connection& connection, SteadyTime received);

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace aliquot::http
