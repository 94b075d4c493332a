// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <array>
#include <cstdio>
#include <ctime>

namespace aliquot {

SteadyTime FakeClock::SteadyNow() const {
  MutexLock lock(mutex_);
  return SteadyTime(std::chrono::duration_cast<SteadyTime::duration>(now_));
}

SystemTime FakeClock::SystemNow() const {
  MutexLock lock(mutex_);
  return SystemTime(std::chrono::duration_cast<SystemTime::duration>(now_));
}

void FakeClock::Advance(std::chrono::nanoseconds by) {
  MutexLock lock(mutex_);
  now_ += by;
}

std::int64_t UnixNanoseconds(SystemTime time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

std::string FormatMicroTime(SystemTime time) {
  const auto micros =
      std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
  const std::time_t seconds = static_cast<std::time_t>(micros / 1000000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 64> text{};
  const int length =
      std::snprintf(text.data(), text.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ",
                    parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour,
                    parts.tm_min, parts.tm_sec, static_cast<int>(micros % 1000000));
  return std::string(text.data(), static_cast<std::size_t>(length));
}

}  // namespace aliquot
