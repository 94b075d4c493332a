// SPDX-License-Identifier: Apache-2.0
#include "http/connection_table.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace aliquot::http {
namespace {

constexpr std::uint64_t kWakeId = 0;  // connections count from 1

epoll_event OneShot(std::uint64_t id, std::uint32_t events) {
  epoll_event event{};
  event.events = events | EPOLLONESHOT;
  event.data.u64 = id;
  return event;
}

// Whether the peer has sent something that no worker has come to yet.
bool HasUnreadBytes(int fd) {
  char byte;
  return ::recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

}  // namespace

Status ConnectionTable::Open(int wake_fd) {
  epoll_ = FileDescriptor(::epoll_create1(EPOLL_CLOEXEC));
  epoll_event wake{};
  wake.events = EPOLLIN;  // level-triggered and never read: it wakes every worker
  wake.data.u64 = kWakeId;
  if (!epoll_.valid() || ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_fd, &wake) != 0) {
    return Internal("epoll cannot be used: " + std::generic_category().message(errno));
  }
  return Status::Ok();
}

std::unique_ptr<Connection> ConnectionTable::Add(std::unique_ptr<Connection> connection) {
  MutexLock lock(mutex_);
  std::unique_ptr<Connection> evicted;
  if (entries_.size() >= max_connections_) {
    evicted = TakeOldestHandshakeLocked();
    if (!evicted) evicted = TakeLongestIdleLocked();
    if (!evicted) return connection;
  }
  epoll_event event = OneShot(connection->id, EPOLLIN);
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, connection->transport.fd(), &event) != 0) {
    return connection;
  }
  const std::uint64_t id = connection->id;
  entries_[id] = Entry{std::move(connection), true};
  return evicted;
}

Connection* ConnectionTable::Next() {
  epoll_event event{};
  if (::epoll_wait(epoll_.get(), &event, 1, -1) != 1 || event.data.u64 == kWakeId) return nullptr;
  MutexLock lock(mutex_);
  // The connection may have expired between the event and here.
  const auto found = entries_.find(event.data.u64);
  if (found == entries_.end() || !found->second.parked) return nullptr;
  found->second.parked = false;
  return found->second.connection.get();
}

bool ConnectionTable::Park(Connection& connection, WaitFor wait_for) {
  epoll_event event = OneShot(connection.id, wait_for == WaitFor::kReadable ? EPOLLIN : EPOLLOUT);
  MutexLock lock(mutex_);
  if (draining_ && connection.phase == Phase::kIdle) return false;
  entries_.find(connection.id)->second.parked = true;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, connection.transport.fd(), &event);
  return true;
}

std::unique_ptr<Connection> ConnectionTable::Remove(Connection& connection) {
  MutexLock lock(mutex_);
  const auto found = entries_.find(connection.id);
  std::unique_ptr<Connection> removed = std::move(found->second.connection);
  entries_.erase(found);
  if (entries_.empty()) emptied_.NotifyAll();
  return removed;
}

std::unique_ptr<Connection> ConnectionTable::TakeOldestHandshake() {
  MutexLock lock(mutex_);
  return TakeOldestHandshakeLocked();
}

std::unique_ptr<Connection> ConnectionTable::TakeOldestHandshakeLocked() {
  auto oldest = entries_.end();
  for (auto it = entries_.begin(); it != entries_.end(); ++it) {
    if (!it->second.parked || it->second.connection->phase != Phase::kHandshake) continue;
    // Ids are given in the order of arrival.
    if (oldest == entries_.end() || it->first < oldest->first) oldest = it;
  }
  if (oldest == entries_.end()) return nullptr;
  std::unique_ptr<Connection> taken = std::move(oldest->second.connection);
  entries_.erase(oldest);
  return taken;
}

std::unique_ptr<Connection> ConnectionTable::TakeLongestIdleLocked() {
  auto longest = entries_.end();
  for (auto it = entries_.begin(); it != entries_.end(); ++it) {
    const Connection& connection = *it->second.connection;
    if (!it->second.parked || connection.phase != Phase::kIdle) continue;
    // All idle ones have the same time from their last request to their deadline. One whose next
    // request has arrived is idle no more.
    const bool longer =
        longest == entries_.end() || connection.deadline < longest->second.connection->deadline;
    if (longer && !HasUnreadBytes(connection.transport.fd())) longest = it;
  }
  if (longest == entries_.end()) return nullptr;
  std::unique_ptr<Connection> taken = std::move(longest->second.connection);
  entries_.erase(longest);
  return taken;
}

template <typename Predicate>
std::vector<std::unique_ptr<Connection>> ConnectionTable::TakeParkedIf(Predicate predicate) {
  std::vector<std::unique_ptr<Connection>> taken;
  for (auto it = entries_.begin(); it != entries_.end();) {
    if (it->second.parked && predicate(*it->second.connection)) {
      taken.push_back(std::move(it->second.connection));
      entries_.erase(it++);
    } else {
      ++it;
    }
  }
  if (entries_.empty()) emptied_.NotifyAll();
  return taken;
}

std::vector<std::unique_ptr<Connection>> ConnectionTable::TakeExpired(SteadyTime now) {
  MutexLock lock(mutex_);
  return TakeParkedIf([now](const Connection& connection) {
    if (connection.deadline > now) return false;
    // A request that has just arrived is not answered by a close.
    return connection.phase != Phase::kIdle || !HasUnreadBytes(connection.transport.fd());
  });
}

std::vector<std::unique_ptr<Connection>> ConnectionTable::StartDrain(SteadyTime newcomers_until) {
  MutexLock lock(mutex_);
  draining_ = true;
  return TakeParkedIf([newcomers_until](Connection& connection) {
    if (connection.phase == Phase::kHandshake) {
      connection.deadline = std::min(connection.deadline, newcomers_until);
    }
    return connection.phase == Phase::kIdle && !HasUnreadBytes(connection.transport.fd());
  });
}

std::vector<std::unique_ptr<Connection>> ConnectionTable::CutAll() {
  MutexLock lock(mutex_);
  for (const auto& [id, entry] : entries_) {
    if (!entry.parked) ::shutdown(entry.connection->transport.fd(), SHUT_RDWR);
  }
  return TakeParkedIf([](const Connection&) { return true; });
}

bool ConnectionTable::WaitUntilEmpty(SteadyTime deadline) {
  MutexLock lock(mutex_);
  while (!entries_.empty()) {
    if (!emptied_.WaitUntil(mutex_, deadline)) return entries_.empty();
  }
  return true;
}

std::size_t ConnectionTable::size() const {
  MutexLock lock(mutex_);
  return entries_.size();
}

}  // namespace aliquot::http
