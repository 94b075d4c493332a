// SPDX-License-Identifier: Apache-2.0
#include "http/server.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "http/body_budget.h"
#include "http/connection_count.h"
#include "http/connection_table.h"
#include "http/connection_worker.h"
#include "http/listen_socket.h"
#include "http/tls_context.h"
#include "http/tls_material.h"

namespace aliquot::http {
namespace {

using std::chrono::milliseconds;

// How long no connection is accepted after the process ran out of file descriptors.
constexpr milliseconds kAcceptPause{50};

// A client that connected just before a drain may still send its request; a silent one holds it up
// no longer.
constexpr milliseconds kNewcomerGrace{500};
constexpr milliseconds kDrainTick{50};

SteadyTime Now() { return std::chrono::steady_clock::now(); }

HeadLimits LimitsOf(const ServerOptions& options) {
  HeadLimits limits;
  limits.max_head_bytes = options.max_head_bytes;
  limits.max_headers = options.max_headers;
  limits.max_body_bytes = options.max_body_bytes;
  return limits;
}

// A deadline is found out at most a quarter of the shortest limit late.
milliseconds TickOf(const ServerOptions& options) {
  const milliseconds shortest = std::min({options.handshake_timeout, options.receive_timeout,
                                          options.send_timeout, options.idle_timeout});
  return std::clamp(shortest / 4, milliseconds(5), milliseconds(500));
}

std::string_view ExpiryReason(Phase phase) {
  switch (phase) {
    case Phase::kHandshake:
      return "the client was silent or its handshake too slow";
    case Phase::kReceiving:
      return "the request took too long to arrive";
    case Phase::kSending:
      return "the client took too long to read the reply";
    case Phase::kIdle:
    case Phase::kLingering:
      break;
  }
  return "";
}

}  // namespace

class Server::Impl {
 public:
  Impl(ServerOptions options, Router router, ServerObserver& observer)
      : options_(std::move(options)),
        router_(std::move(router)),
        observer_(observer),
        budget_(options_.max_buffered_bytes),
        table_(options_.max_connections),
        count_(table_, observer_) {}

  ~Impl() {
    StopAccepting();
    CloseAll(table_.CutAll());
    stopping_ = true;
    if (stop_workers_.valid()) ::eventfd_write(stop_workers_.get(), 1);
    for (std::thread& worker : workers_) worker.join();
  }

  Result<std::string> Start();
  Status Drain(milliseconds timeout);
  Status ReloadTls();

 private:
  Status StartTls();
  Status StartThreads();
  void RunAccepting();
  void RunWorker();
  int PollTimeout() const;
  void AcceptWaiting();
  void AddConnection(AcceptedSocket accepted);
  void StopAccepting();
  void CloseExpired();
  void CloseAll(std::vector<std::unique_ptr<Connection>> connections);

  const ServerOptions options_;
  const Router router_;
  ServerObserver& observer_;
  BodyBudget budget_;
  std::unique_ptr<TlsMaterialSource> tls_material_;  // null: plain HTTP; constant after Start
  std::unique_ptr<TlsContext> tls_;
  FileDescriptor stop_accepting_;
  FileDescriptor stop_workers_;
  ConnectionTable table_;
  ConnectionCount count_;
  std::atomic<bool> draining_{false};
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> workers_;
  std::thread acceptor_;
  // Of the accepting thread only, once it runs.
  ListenSocket listener_;
  std::uint64_t last_id_ = 0;
  SteadyTime accept_again_{};
  SteadyTime next_reload_{};
};

Result<std::string> Server::Impl::Start() {
  // OpenSSL writes without MSG_NOSIGNAL: a client that hangs up must not end the process.
  std::signal(SIGPIPE, SIG_IGN);
  if (options_.worker_threads < 1) {
    return InvalidArgument("worker_threads " + std::to_string(options_.worker_threads) +
                           " is too small; use 1 or more");
  }
  Result<ListenAddress> address = ParseListenAddress(options_.listen_address);
  if (!address.ok()) return address.status();
  if (Status status = StartTls(); !status.ok()) return status;
  Result<ListenSocket> listener = Listen(*address);
  if (!listener.ok()) return listener.status();
  listener_ = *std::move(listener);

  stop_accepting_ = FileDescriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  stop_workers_ = FileDescriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!stop_accepting_.valid() || !stop_workers_.valid()) {
    return Internal("eventfd failed: " + std::generic_category().message(errno));
  }
  if (Status status = table_.Open(stop_workers_.get()); !status.ok()) return status;
  std::string bound = listener_.address;
  if (Status status = StartThreads(); !status.ok()) return status;
  return bound;
}

Status Server::Impl::StartThreads() {
  try {
    for (int i = 0; i < options_.worker_threads; ++i) {
      workers_.emplace_back([this] { RunWorker(); });
    }
    acceptor_ = std::thread([this] { RunAccepting(); });
  } catch (const std::system_error& error) {
    return Unavailable("worker_threads " + std::to_string(options_.worker_threads) +
                       " cannot be started: " + error.code().message());
  }
  return Status::Ok();
}

Status Server::Impl::StartTls() {
  if (!options_.tls) return Status::Ok();
  tls_material_ = std::make_unique<TlsMaterialSource>(*options_.tls);
  const Result<TlsMaterialSource::Change> loaded = tls_material_->Refresh();
  if (!loaded.ok()) return loaded.status();
  Result<std::unique_ptr<TlsContext>> context = TlsContext::Create(*tls_material_);
  if (!context.ok()) return context.status();
  tls_ = *std::move(context);
  next_reload_ = Now() + options_.tls->reload_interval;
  return Status::Ok();
}

Status Server::Impl::ReloadTls() {
  if (!tls_material_) return Status::Ok();
  const Result<TlsMaterialSource::Change> changed = tls_material_->Refresh();
  const bool taken = changed.ok() && *changed == TlsMaterialSource::Change::kTaken;
  if (taken || !changed.ok()) observer_.OnTlsReload(changed.status());
  return changed.status();
}

void Server::Impl::RunWorker() {
  ConnectionWorker worker(options_, router_, observer_, table_, count_, draining_);
  while (!stopping_) {
    if (Connection* connection = table_.Next()) worker.Serve(*connection);
  }
}

void Server::Impl::RunAccepting() {
  while (true) {
    const bool paused = Now() < accept_again_;
    pollfd waiting[] = {{stop_accepting_.get(), POLLIN, 0},
                        {paused ? -1 : listener_.fd.get(), POLLIN, 0}};
    ::poll(waiting, 2, PollTimeout());
    if (waiting[1].revents != 0) AcceptWaiting();
    if (waiting[0].revents != 0) break;
    CloseExpired();
    if (tls_material_ && Now() >= next_reload_) {
      next_reload_ = Now() + options_.tls->reload_interval;
      // The observer has been told; an unusable file is looked at again when it changes.
      static_cast<void>(ReloadTls());
    }
  }
  // Whom the kernel has already told "connected" is served, not reset.
  AcceptWaiting();
  listener_.fd.Close();
}

int Server::Impl::PollTimeout() const {
  milliseconds wait{-1};
  if (table_.size() > 0) wait = TickOf(options_);
  if (Now() < accept_again_) wait = kAcceptPause;
  if (tls_material_) {
    const milliseconds interval = options_.tls->reload_interval;
    wait = wait.count() < 0 ? interval : std::min(wait, interval);
  }
  return static_cast<int>(wait.count());
}

void Server::Impl::AcceptWaiting() {
  while (true) {
    AcceptedSocket accepted = Accept(listener_.fd.get());
    if (accepted.fd.valid()) {
      AddConnection(std::move(accepted));
      continue;
    }
    if (accepted.error == EAGAIN || accepted.error == EWOULDBLOCK) return;
    // Of a client that has left already; the next one may wait behind it.
    if (accepted.error == ECONNABORTED || accepted.error == EINTR) continue;
    // The kernel wants a free descriptor even to say that nobody waits.
    pollfd waiting{listener_.fd.get(), POLLIN, 0};
    if (::poll(&waiting, 1, 0) <= 0) return;
    observer_.OnConnectionFailed("", "accept: " + std::generic_category().message(accepted.error));
    // Out of file descriptors: whoever has only connected makes room for the next.
    if (table_.TakeOldestHandshake() != nullptr) continue;
    accept_again_ = Now() + kAcceptPause;
    return;
  }
}

void Server::Impl::AddConnection(AcceptedSocket accepted) {
  SslPtr ssl = tls_ ? tls_->NewConnection() : nullptr;
  if (tls_ && !ssl) return;
  auto connection = std::make_unique<Connection>(++last_id_, std::move(accepted.remote_address),
                                                 Transport(std::move(accepted.fd), std::move(ssl)),
                                                 LimitsOf(options_), budget_);
  connection->deadline = Now() + options_.handshake_timeout;
  if (const std::unique_ptr<Connection> turned_away = table_.Add(std::move(connection))) {
    observer_.OnConnectionFailed(turned_away->remote_address, "there are too many connections");
    if (turned_away->phase == Phase::kIdle) turned_away->transport.FinishSending();
  }
  count_.Report();
}

void Server::Impl::StopAccepting() {
  if (!acceptor_.joinable()) return;
  ::eventfd_write(stop_accepting_.get(), 1);
  acceptor_.join();
}

void Server::Impl::CloseExpired() { CloseAll(table_.TakeExpired(Now())); }

void Server::Impl::CloseAll(std::vector<std::unique_ptr<Connection>> connections) {
  if (connections.empty()) return;
  for (const std::unique_ptr<Connection>& connection : connections) {
    const std::string_view reason = ExpiryReason(connection->phase);
    if (!reason.empty()) observer_.OnConnectionFailed(connection->remote_address, reason);
    if (connection->phase == Phase::kIdle) connection->transport.FinishSending();
  }
  connections.clear();
  count_.Report();
}

Status Server::Impl::Drain(milliseconds timeout) {
  const SteadyTime deadline = Now() + timeout;
  draining_ = true;
  StopAccepting();
  CloseAll(table_.StartDrain(Now() + kNewcomerGrace));
  while (!table_.WaitUntilEmpty(std::min(deadline, Now() + kDrainTick))) {
    if (Now() >= deadline) {
      const std::size_t left = table_.size();
      CloseAll(table_.CutAll());
      return Status(StatusCode::kDeadlineExceeded,
                    std::to_string(left) + " connections were still busy after " +
                        std::to_string(timeout.count()) + " ms and have been cut");
    }
    CloseExpired();
  }
  return Status::Ok();
}

Server::Server(ServerOptions options, Router router, ServerObserver& observer)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(router), observer)) {}

Server::~Server() = default;

Result<std::string> Server::Start() { return impl_->Start(); }

Status Server::Drain(std::chrono::milliseconds timeout) { return impl_->Drain(timeout); }

Status Server::ReloadTls() { return impl_->ReloadTls(); }

}  // namespace aliquot::http
