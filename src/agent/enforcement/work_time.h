// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "agent/enforcement/time_correction.h"
#include "agent/gpu/backend.h"
#include "base/clock.h"

namespace aliquot::agent {

// GPU time of the processes on one card from look to look, out of the driver's samples: each says
// how many percent of the time since the sample before it a process kept the card busy
// (nvmlDeviceGetProcessUtilization), as a whole number that may have been rounded either way.
//
// How long that time was is not known of a process that is new on the card, and after a pause in
// the samples: it then lies between nothing and the time between two looks. No sample counts for
// more than half as much again as has passed, whatever its timestamp says. Not thread-safe.
class WorkTime {
 public:
  // A pause longer than this is no time that a sample is about.
  static constexpr std::chrono::milliseconds kPause{1200};

  // After which timestamp samples are to be asked for; 0 = all.
  std::uint64_t Since(SteadyTime now);
  // What was answered. By process, of those that worked. Nothing at the first look, and where the
  // driver does not sample.
  std::optional<std::map<pid_t, TimeCorrection::DriverTime>> Look(const CardWork& work,
                                                                  SteadyTime now);

 private:
  std::optional<SteadyTime> looked_;
  std::set<pid_t> on_card_;     // in the look before
  std::uint64_t since_us_ = 0;  // of the newest sample, the driver's clock
  SteadyTime since_at_;         // when that was seen
};

}  // namespace aliquot::agent
