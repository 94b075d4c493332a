// SPDX-License-Identifier: Apache-2.0
#include "http/connection_worker.h"

#include <memory>
#include <string>
#include <utility>

namespace aliquot::http {
namespace {

using Outcome = Transport::Outcome;

constexpr std::size_t kReadBytes = 64u << 10;
// How long a client may take to notice that its request was refused and to stop sending, or that
// the server is stopping.
constexpr std::chrono::milliseconds kLinger{1000};
constexpr std::size_t kDiscardBytes = 1u << 20;  // a turn; then others get theirs
constexpr std::string_view kContinueReply = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace

ConnectionWorker::ConnectionWorker(const ServerOptions& options, const Router& router,
                                   ServerObserver& observer, ConnectionTable& table,
                                   ConnectionCount& count, const std::atomic<bool>& draining)
    : options_(options),
      observer_(observer),
      table_(table),
      count_(count),
      draining_(draining),
      engine_(router, observer, draining, options.server_timing),
      buffer_(kReadBytes) {}

void ConnectionWorker::Serve(Connection& connection) {
  Next next = Next::kContinue;
  while (next == Next::kContinue) next = Step(connection);
  const auto wait_for = next == Next::kWaitWritable ? ConnectionTable::WaitFor::kWritable
                                                    : ConnectionTable::WaitFor::kReadable;
  // After Park the connection may already belong to another thread.
  if (next == Next::kClose || !table_.Park(connection, wait_for)) Close(connection);
}

ConnectionWorker::Next ConnectionWorker::Step(Connection& connection) {
  switch (connection.phase) {
    case Phase::kHandshake:
      return StepHandshake(connection);
    case Phase::kIdle:
    case Phase::kReceiving:
      return StepReceive(connection);
    case Phase::kSending:
      return StepSend(connection);
    case Phase::kLingering:
      return StepLinger(connection);
  }
  return Next::kClose;
}

ConnectionWorker::Next ConnectionWorker::StepHandshake(Connection& connection) {
  const Outcome outcome = connection.transport.Handshake();
  if (outcome == Outcome::kFailed) {
    observer_.OnConnectionFailed(connection.remote_address, connection.transport.error());
    // The alert that says why must not be lost to a reset: the client may have sent its request
    // already.
    return FinishAndLinger(connection);
  }
  if (outcome != Outcome::kDone) return Wait(outcome);
  connection.peer_common_name = connection.transport.PeerCommonName();
  if (draining_) {
    // It connected before the server began to stop: its request, on the way now, is still served.
    SetPhase(connection, Phase::kReceiving, kLinger);
  } else {
    SetPhase(connection, Phase::kIdle, options_.idle_timeout);
  }
  return Next::kContinue;
}

ConnectionWorker::Next ConnectionWorker::StepReceive(Connection& connection) {
  if (!connection.unread.empty()) {
    return Consume(connection, std::exchange(connection.unread, {}));
  }
  std::size_t count = 0;
  const Outcome outcome = connection.transport.Read(buffer_.data(), buffer_.size(), &count);
  if (outcome == Outcome::kDone) return Consume(connection, {buffer_.data(), count});
  // A reset between two requests is how some clients say good-bye.
  if (outcome == Outcome::kFailed && connection.phase == Phase::kIdle) return Next::kClose;
  return outcome == Outcome::kFailed ? Fail(connection) : Wait(outcome);
}

ConnectionWorker::Next ConnectionWorker::Consume(Connection& connection, std::string_view bytes) {
  if (connection.phase == Phase::kIdle) {
    SetPhase(connection, Phase::kReceiving, options_.receive_timeout);
  }
  const RequestFramer::State state = connection.framer.Consume(bytes);
  connection.unread.assign(bytes);
  if (state != RequestFramer::State::kNeedsMore) return Answer(connection);
  return connection.framer.TakeExpectContinue() ? SendContinue(connection) : Next::kContinue;
}

ConnectionWorker::Next ConnectionWorker::Answer(Connection& connection) {
  const SteadyTime received = std::chrono::steady_clock::now();
  const Outcome outcome = engine_.Answer(connection, received);
  connection.framer.Reset();
  // From here on: the handler's time is not the client's fault.
  SetPhase(connection, Phase::kSending, options_.send_timeout);
  if (outcome == Outcome::kFailed || outcome == Outcome::kClosed) return Fail(connection);
  return Next::kContinue;
}

ConnectionWorker::Next ConnectionWorker::SendContinue(Connection& connection) {
  std::size_t count = 0;
  const Outcome outcome =
      connection.transport.Write(kContinueReply.data(), kContinueReply.size(), &count);
  // Nothing else is on its way to this client, so 25 bytes always fit; if not, it is gone.
  return outcome == Outcome::kDone && count == kContinueReply.size() ? Next::kContinue
                                                                     : Fail(connection);
}

ConnectionWorker::Next ConnectionWorker::StepSend(Connection& connection) {
  while (connection.sent < connection.unsent.size()) {
    std::size_t count = 0;
    const Outcome outcome =
        connection.transport.Write(connection.unsent.data() + connection.sent,
                                   connection.unsent.size() - connection.sent, &count);
    connection.sent += count;
    if (outcome == Outcome::kFailed) return Fail(connection);
    if (outcome != Outcome::kDone) return Wait(outcome);
  }
  std::string().swap(connection.unsent);
  connection.sent = 0;
  return AfterReply(connection);
}

ConnectionWorker::Next ConnectionWorker::AfterReply(Connection& connection) {
  if (connection.close_after_reply) return FinishAndLinger(connection);
  SetPhase(connection, Phase::kIdle, options_.idle_timeout);
  return Next::kContinue;
}

ConnectionWorker::Next ConnectionWorker::FinishAndLinger(Connection& connection) {
  connection.transport.FinishSending();
  SetPhase(connection, Phase::kLingering, kLinger);
  return Next::kContinue;
}

ConnectionWorker::Next ConnectionWorker::StepLinger(Connection& connection) {
  const Outcome outcome = connection.transport.Discard(kDiscardBytes);
  if (outcome == Outcome::kClosed || outcome == Outcome::kFailed) return Next::kClose;
  return Next::kWaitReadable;
}

ConnectionWorker::Next ConnectionWorker::Fail(Connection& connection) {
  const std::string& error = connection.transport.error();
  observer_.OnConnectionFailed(connection.remote_address,
                               error.empty() ? "the client closed the connection" : error);
  return Next::kClose;
}

ConnectionWorker::Next ConnectionWorker::Wait(Outcome outcome) {
  switch (outcome) {
    case Outcome::kWantRead:
      return Next::kWaitReadable;
    case Outcome::kWantWrite:
      return Next::kWaitWritable;
    case Outcome::kDone:
      return Next::kContinue;
    case Outcome::kClosed:
    case Outcome::kFailed:
      break;
  }
  return Next::kClose;
}

void ConnectionWorker::SetPhase(Connection& connection, Phase phase,
                                std::chrono::milliseconds limit) {
  connection.phase = phase;
  connection.deadline = std::chrono::steady_clock::now() + limit;
}

void ConnectionWorker::Close(Connection& connection) {
  if (connection.phase == Phase::kIdle) connection.transport.FinishSending();
  const std::unique_ptr<Connection> removed = table_.Remove(connection);
  count_.Report();
}

}  // namespace aliquot::http
