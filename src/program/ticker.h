// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <thread>

#include "base/mutex.h"

namespace aliquot::program {

// Calls a function at regular intervals from a thread of its own, until it is stopped or destroyed.
// The function must not throw.
class Ticker {
 public:
  Ticker(std::chrono::milliseconds interval, std::function<void()> tick);
  ~Ticker() { Stop(); }
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

  // Returns when the function runs no more. Safe to call twice.
  void Stop();

 private:
  void Run();

  const std::chrono::milliseconds interval_;
  const std::function<void()> tick_;
  Mutex mutex_;
  CondVar stopped_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace aliquot::program
