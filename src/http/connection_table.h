// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/mutex.h"
#include "base/status.h"
#include "http/connection.h"
#include "http/file_descriptor.h"

namespace aliquot::http {

// All open connections of a server, and the epoll instance in which those wait that no thread
// holds. A connection is either parked here or claimed by exactly one thread; handing it over goes
// through the lock, so its fields need none of their own. Thread-safe. Its lock is a leaf: nothing
// is called under it but epoll_ctl and other system calls that do not wait.
class ConnectionTable {
 public:
  enum class WaitFor { kReadable, kWritable };

  explicit ConnectionTable(std::size_t max_connections) : max_connections_(max_connections) {}

  // Creates the epoll instance. `wake_fd` becoming readable makes every Next return null.
  Status Open(int wake_fd);

  // Parks a new connection. When the table is full, the one that has been in its handshake the
  // longest is returned for closing, with none in a handshake the one that has been idle the
  // longest, and with none idle the new one itself: nobody shuts others out by holding connections.
  std::unique_ptr<Connection> Add(std::unique_ptr<Connection> connection);
  // Waits for a parked connection with something to do and claims it. Null: woken, or claimed by
  // another.
  Connection* Next();
  // Gives a claimed connection back until it is ready or connection.deadline passes. False when the
  // table is being drained and the connection is idle: it stays claimed, the caller removes it.
  bool Park(Connection& connection, WaitFor wait_for);
  // Takes a claimed connection out.
  std::unique_ptr<Connection> Remove(Connection& connection);

  // Takes out the one that has been in its handshake the longest; null without one.
  std::unique_ptr<Connection> TakeOldestHandshake();
  // Takes out the parked connections whose deadline has passed.
  std::vector<std::unique_ptr<Connection>> TakeExpired(SteadyTime now);
  // From now on no idle connection is parked. Takes out those that are idle now and have nothing to
  // read. Who has only just connected may go on until `newcomers_until`.
  std::vector<std::unique_ptr<Connection>> StartDrain(SteadyTime newcomers_until);
  // Takes out every parked connection, and cuts the sockets of the claimed ones.
  std::vector<std::unique_ptr<Connection>> CutAll();
  // True once the table is empty, false when `deadline` came first.
  bool WaitUntilEmpty(SteadyTime deadline);
  std::size_t size() const;

 private:
  struct Entry {
    std::unique_ptr<Connection> connection;
    bool parked = false;
  };

  std::unique_ptr<Connection> TakeOldestHandshakeLocked() REQUIRES(mutex_);
  std::unique_ptr<Connection> TakeLongestIdleLocked() REQUIRES(mutex_);
  template <typename Predicate>
  std::vector<std::unique_ptr<Connection>> TakeParkedIf(Predicate predicate) REQUIRES(mutex_);

  const std::size_t max_connections_;
  FileDescriptor epoll_;  // constant after Open
  mutable Mutex mutex_;
  CondVar emptied_;
  absl::flat_hash_map<std::uint64_t, Entry> entries_ GUARDED_BY(mutex_);
  bool draining_ GUARDED_BY(mutex_) = false;
};

}  // namespace aliquot::http
