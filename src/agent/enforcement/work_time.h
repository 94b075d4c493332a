// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>

#include "agent/enforcement/time_correction.h"
#include "agent/gpu/backend.h"
#include "base/clock.h"

namespace aliquot::agent {

// GPU time of the processes on one card from look to look, out of the driver's samples: each says
// how many percent of the time since the process's sample before it kept the card busy. A process
// without an earlier sample, or with an old one, counts from the look before; no sample counts for
// more than twice the time between looks, whatever its timestamps say. Not thread-safe.
class WorkTime {
 public:
  // By process, of those that worked. Nothing at the first look, and where the driver does not
  // sample.
  std::optional<std::map<pid_t, TimeCorrection::DriverTime>> Look(const CardWork& work,
                                                                  SteadyTime now);

 private:
  std::map<pid_t, std::uint64_t> last_us_;  // of its sample, in the look before
  std::optional<SteadyTime> looked_;
};

}  // namespace aliquot::agent
