// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.h"
#include "http/connection_table.h"
#include "http/observer.h"

namespace aliquot::http {

// Tells the observer how many connections are open. Several threads open and close them; the lock
// keeps the reports in the order of the counts, so that the last report is the truth. Thread-safe.
class ConnectionCount {
 public:
  // Both outlive it.
  ConnectionCount(const ConnectionTable& table, ServerObserver& observer)
      : table_(table), observer_(observer) {}

  // Call after each change.
  void Report() {
    MutexLock lock(mutex_);
    observer_.OnConnectionCount(table_.size());
  }

 private:
  const ConnectionTable& table_;
  ServerObserver& observer_;
  Mutex mutex_;
};

}  // namespace aliquot::http
