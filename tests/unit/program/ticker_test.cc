// SPDX-License-Identifier: Apache-2.0
#include "program/ticker.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>

#include "base/mutex.h"

namespace aliquot::program {
namespace {

TEST(Ticker, TicksUntilItIsStopped) {
  Mutex mutex;
  CondVar changed;
  int ticks = 0;  // guarded by the mutex
  Ticker ticker(std::chrono::milliseconds(1), [&] {
    MutexLock lock(mutex);
    ++ticks;
    changed.NotifyAll();
  });
  {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    MutexLock lock(mutex);
    while (ticks < 3 && changed.WaitUntil(mutex, deadline)) {
    }
    EXPECT_GE(ticks, 3);
  }
  ticker.Stop();
  ticker.Stop();  // harmless
}

TEST(Ticker, StopDoesNotWaitForTheInterval) {
  const auto start = std::chrono::steady_clock::now();
  std::atomic<int> ticks{0};
  Ticker ticker(std::chrono::hours(1), [&] { ++ticks; });
  ticker.Stop();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
  EXPECT_LE(ticks.load(), 1);
}

}  // namespace
}  // namespace aliquot::program
