// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/mutex.h"

namespace aliquot::observability {

// Lets the first `burst` events of a key through in each window, counts the others, and tells their
// number with the next one let through. Thread-safe. Keys are literals of the program, so there are
// few; past `kMaxKeys` it forgets them all instead of growing.
class RepeatLimiter {
 public:
  static constexpr std::size_t kMaxKeys = 4096;

  struct Answer {
    bool allowed = false;
    std::int64_t suppressed = 0;  // events of this key held back before this one; 0 unless allowed
  };

  RepeatLimiter(const Clock& clock, int burst, std::chrono::nanoseconds window)
      : clock_(clock), burst_(burst), window_(window) {}

  Answer Ask(std::string_view key);

 private:
  struct Window {
    SteadyTime start;
    int let_through = 0;
    std::int64_t suppressed = 0;
  };

  const Clock& clock_;
  const int burst_;
  const std::chrono::nanoseconds window_;
  Mutex mutex_;
  std::map<std::string, Window, std::less<>> windows_ GUARDED_BY(mutex_);
};

}  // namespace aliquot::observability
