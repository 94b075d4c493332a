// SPDX-License-Identifier: Apache-2.0
#include "agent/enforcement_runner.h"

namespace aliquot::agent {

EnforcementRunner::EnforcementRunner(const EnforcementOptions& options, const Parts& parts)
    : reader_(options.proc),
      lender_(options.lender, Lender::Parts{parts.live, board_, parts.layout, parts.counters,
                                            parts.clock, parts.log}),
      watchdog_(options.watchdog,
                Watchdog::Parts{parts.live, parts.backend, board_, parts.layout, reader_,
                                parts.clock, parts.log, parts.containers, parts.report}) {}

void EnforcementRunner::Start() {
  // Before the watchdog measures anything: what an agent before this one has measured is read.
  lender_.Round();
  lending_ = std::thread([this] { Repeat([this] { return lender_.Round(); }); });
  watching_ = std::thread([this] {
    Repeat([this] {
      const auto next = watchdog_.Look();
      blind_.store(watchdog_.blind());
      return next;
    });
  });
}

void EnforcementRunner::Stop() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    stopped_.NotifyAll();
  }
  for (std::thread* each : {&lending_, &watching_}) {
    if (each->joinable()) {
      each->join();
    }
  }
}

void EnforcementRunner::Repeat(const std::function<std::chrono::milliseconds()>& round) {
  for (;;) {
    const auto wait = round();
    // The operating system's clock: this paces a loop, it decides nothing.
    const auto next = std::chrono::steady_clock::now() + wait;
    MutexLock lock(mutex_);
    while (!stopping_ && stopped_.WaitUntil(mutex_, next)) {
    }
    if (stopping_) {
      return;
    }
  }
}

}  // namespace aliquot::agent
