// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/mutex.h"

namespace aliquot {

using SteadyTime = std::chrono::steady_clock::time_point;
using SystemTime = std::chrono::system_clock::time_point;

// Time, injected. Code that decides by time takes a Clock&; tests pass a FakeClock. Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual SteadyTime SteadyNow() const = 0;  // for durations and deadlines
  virtual SystemTime SystemNow() const = 0;  // for stamps that people and other programs read
};

class RealClock final : public Clock {
 public:
  SteadyTime SteadyNow() const override { return std::chrono::steady_clock::now(); }
  SystemTime SystemNow() const override { return std::chrono::system_clock::now(); }
};

// A clock that moves only when told to.
class FakeClock final : public Clock {
 public:
  SteadyTime SteadyNow() const override;
  SystemTime SystemNow() const override;
  void Advance(std::chrono::nanoseconds by);

 private:
  mutable Mutex mutex_;
  // Starts a day after both epochs, so that subtracting a time-out never underflows.
  std::chrono::nanoseconds now_ GUARDED_BY(mutex_) = std::chrono::hours(24);
};

std::int64_t UnixNanoseconds(SystemTime time);
// RFC 3339 with six fractional digits in UTC, the form that Kubernetes' MicroTime requires.
std::string FormatMicroTime(SystemTime time);

}  // namespace aliquot
