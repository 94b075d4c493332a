// SPDX-License-Identifier: Apache-2.0
#include "agent/enforcement/work_time.h"

#include <algorithm>
#include <utility>

namespace aliquot::agent {
namespace {

std::uint64_t Microseconds(std::chrono::nanoseconds time) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(time).count(), 0));
}

}  // namespace

std::uint64_t WorkTime::Since(SteadyTime now) {
  if (now - since_at_ > kPause) {
    since_us_ = 0;
  }
  return since_us_;
}

std::optional<std::map<pid_t, TimeCorrection::DriverTime>> WorkTime::Look(const CardWork& work,
                                                                          SteadyTime now) {
  const auto before = std::exchange(looked_, now);
  const std::uint64_t between_us = before ? Microseconds(now - *before) : 0;
  const std::uint64_t longest_us = Microseconds(now - since_at_) * 3 / 2;
  std::map<pid_t, TimeCorrection::DriverTime> worked;
  std::map<pid_t, std::uint64_t> last_us;
  std::uint64_t newest_us = 0;
  for (const CardWork::Sample& sample : work.samples) {
    const std::uint64_t from = last_us.emplace(sample.pid, since_us_).first->second;
    last_us[sample.pid] = sample.timestamp_us;
    newest_us = std::max(newest_us, sample.timestamp_us);
    const auto percent = static_cast<std::uint64_t>(std::clamp(sample.sm_percent, 0, 100));
    TimeCorrection::DriverTime& time = worked[sample.pid];
    if (from == 0 || sample.timestamp_us < from || on_card_.count(sample.pid) == 0) {
      time.rounding_ns += between_us * 10 * (percent + 1);
      continue;
    }
    const std::uint64_t half_percent_ns = std::min(sample.timestamp_us - from, longest_us) * 5;
    time.ns += half_percent_ns * (percent == 0 ? 0 : 2 * percent - 1);
    time.rounding_ns += half_percent_ns * 3;
  }
  if (newest_us != 0) {
    since_us_ = newest_us;
    since_at_ = now;
  }
  on_card_.clear();
  for (const CardWork::Memory& each : work.processes) {
    on_card_.insert(each.pid);
  }
  return before && work.sampled ? std::optional(std::move(worked)) : std::nullopt;
}

}  // namespace aliquot::agent
