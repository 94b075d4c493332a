// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "tests/simgpu/world/world_file.h"

// What processes did on the cards of a world, and how much of the time since an earlier look that
// was. NVML tells whole percents of a past window; this keeps the looks that windows begin at.

namespace aliquot::simgpu {

struct ProcessWork {
  unsigned pid = 0;  // in the caller's namespace, 0 = of another
  int slot = 0;
  std::uint64_t generation = 0;
  std::uint64_t bytes = 0;
  std::uint64_t busy_ns = 0;
  std::uint64_t since_ns = 0;  // its first context
};

struct CardWork {
  std::uint64_t epoch_us = 0;  // NVML's clock
  std::uint64_t world_ns = 0;
  std::uint64_t used_bytes = 0;
  std::uint64_t busy_ns = 0;
  std::vector<ProcessWork> processes;
};

// What a process did in a window of time.
struct ProcessSince {
  unsigned pid = 0;
  std::uint64_t epoch_us = 0;  // the window's end
  unsigned percent = 0;
};

// A card of the world now.
CardWork LookAt(WorldFile& file, int card);

class WorkHistory {
 public:
  void Remember(std::size_t card, const CardWork& work);
  // Percent of the time since the last look that was at `last_seen_us` or before, else since the
  // process began.
  unsigned ProcessPercent(std::size_t card, const CardWork& now, const ProcessWork& process,
                          std::uint64_t last_seen_us) const;

 private:
  std::vector<std::deque<CardWork>> looks_;  // per card, oldest first
};

}  // namespace aliquot::simgpu
