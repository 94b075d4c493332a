// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <string_view>
#include <vector>

#include "http/connection.h"
#include "http/connection_count.h"
#include "http/connection_table.h"
#include "http/observer.h"
#include "http/reply_engine.h"
#include "http/server.h"

namespace aliquot::http {

// Moves a claimed connection as far as it goes without waiting (handshake, receiving, answering,
// sending, lingering), then parks or closes it. Each worker thread has one; only `Serve` of the
// same thread uses it.
class ConnectionWorker {
 public:
  // All outlive the worker. `draining` makes every reply the last of its connection.
  ConnectionWorker(const ServerOptions& options, const Router& router, ServerObserver& observer,
                   ConnectionTable& table, ConnectionCount& count,
                   const std::atomic<bool>& draining);

  void Serve(Connection& connection);

 private:
  enum class Next { kContinue, kWaitReadable, kWaitWritable, kClose };

  Next Step(Connection& connection);
  Next StepHandshake(Connection& connection);
  Next StepReceive(Connection& connection);
  Next StepSend(Connection& connection);
  Next StepLinger(Connection& connection);
  // Feeds bytes to the framer; kContinue when a request is complete or refused and has been
  // answered.
  Next Consume(Connection& connection, std::string_view bytes);
  Next Answer(Connection& connection);
  Next SendContinue(Connection& connection);
  Next AfterReply(Connection& connection);
  Next FinishAndLinger(Connection& connection);
  Next Fail(Connection& connection);
  static Next Wait(Transport::Outcome outcome);
  static void SetPhase(Connection& connection, Phase phase, std::chrono::milliseconds limit);
  void Close(Connection& connection);

  const ServerOptions& options_;
  ServerObserver& observer_;
  ConnectionTable& table_;
  ConnectionCount& count_;
  const std::atomic<bool>& draining_;
  ReplyEngine engine_;
  std::vector<char> buffer_;
};

}  // namespace aliquot::http
