// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "agent/enforcement/board.h"
#include "agent/enforcement/lender.h"
#include "agent/enforcement/process_look.h"
#include "agent/enforcement/watchdog.h"
#include "base/mutex.h"

namespace aliquot::agent {

// What of the enforcement is no configuration.
struct EnforcementOptions {
  LenderOptions lender;
  WatchdogOptions watchdog;  // `kill` and `context_mib` are set by the application
  std::string proc = "/proc";
};

// Holds shares while containers run: the lender and the watchdog, a thread each, so that a driver
// that hangs stops the looks and not the writing of records. With nothing to hold both sleep but
// for one look at the list of grants a second.
class EnforcementRunner {
 public:
  struct Parts {
    const LiveGrants& live;
    GpuBackend& backend;
    const StateLayout& layout;
    ShareCounters& counters;
    const Clock& clock;
    observability::Log& log;
    // Called from the watchdog's thread.
    std::function<Watchdog::Containers()> containers;
    std::function<void(const ShareReport&)> report;
  };

  // All parts must outlive it.
  EnforcementRunner(const EnforcementOptions& options, const Parts& parts);
  ~EnforcementRunner() { Stop(); }
  EnforcementRunner(const EnforcementRunner&) = delete;
  EnforcementRunner& operator=(const EnforcementRunner&) = delete;

  void Start();
  // Returns when neither runs any more; a call into the driver is waited for. Safe to call twice.
  void Stop();

  const EnforcementBoard& board() const { return board_; }
  // Processes of containers can't be seen: the watchdog finds nothing.
  bool blind() const { return blind_.load(); }

 private:
  // Calls `round` until stopped, each time after as long as it said.
  void Repeat(const std::function<std::chrono::milliseconds()>& round);

  EnforcementBoard board_;
  const ProcessReader reader_;
  Lender lender_;      // the lending thread's
  Watchdog watchdog_;  // the watching thread's
  std::atomic<bool> blind_{false};
  Mutex mutex_;
  CondVar stopped_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::thread lending_;
  std::thread watching_;
};

}  // namespace aliquot::agent
