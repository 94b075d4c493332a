// SPDX-License-Identifier: Apache-2.0
#include "agent/enforcement/work_time.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace aliquot::agent {

std::optional<std::map<pid_t, TimeCorrection::DriverTime>> WorkTime::Look(const CardWork& work,
                                                                          SteadyTime now) {
  const auto before = std::exchange(looked_, now);
  std::map<pid_t, TimeCorrection::DriverTime> worked;
  std::map<pid_t, std::uint64_t> seen;
  const std::uint64_t between_us =
      before ? static_cast<std::uint64_t>(
                   std::chrono::duration_cast<std::chrono::microseconds>(now - *before).count())
             : 0;
  for (const CardWork::Sample& sample : work.samples) {
    const auto in_this = seen.find(sample.pid);
    const auto in_last = last_us_.find(sample.pid);
    std::uint64_t period_us = between_us;
    if (in_this != seen.end() && sample.timestamp_us >= in_this->second) {
      period_us = sample.timestamp_us - in_this->second;
    } else if (in_last != last_us_.end() && sample.timestamp_us >= in_last->second) {
      period_us = sample.timestamp_us - in_last->second;
    }
    seen[sample.pid] = sample.timestamp_us;
    const std::uint64_t percent_ns = std::min(period_us, 2 * between_us) * 10;  // 1 % of it
    TimeCorrection::DriverTime& time = worked[sample.pid];
    time.ns += percent_ns * static_cast<std::uint64_t>(std::clamp(sample.sm_percent, 0, 100));
    time.rounding_ns += percent_ns;
  }
  last_us_ = std::move(seen);
  return before && work.sampled ? std::optional(std::move(worked)) : std::nullopt;
}

}  // namespace aliquot::agent
