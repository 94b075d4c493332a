// SPDX-License-Identifier: Apache-2.0
#include "tests/simgpu/nvml/work_history.h"

#include <sys/time.h>

#include <algorithm>

#include "tests/simgpu/world/engine.h"

namespace aliquot::simgpu {
namespace {

constexpr std::uint64_t kKeepUs = 30'000'000;

// The nearest whole percent, but something is never nothing.
unsigned Percent(std::uint64_t busy_ns, std::uint64_t span_ns) {
  if (span_ns == 0 || busy_ns == 0) {
    return 0;
  }
  const std::uint64_t percent = (busy_ns * 100 + span_ns / 2) / span_ns;
  return static_cast<unsigned>(std::clamp<std::uint64_t>(percent, 1, 100));
}

}  // namespace

CardWork LookAt(WorldFile& file, int card) {
  CardWork work;
  const WorldLock lock(file);
  WorldLayout& world = file.layout();
  file.Reap();
  AdvanceCard(world, card, file.Now());
  struct timeval now = {};
  gettimeofday(&now, nullptr);
  work.epoch_us =
      static_cast<std::uint64_t>(now.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(now.tv_usec);
  work.world_ns = file.Now();
  work.used_bytes = MemoryUsed(world, card);
  work.busy_ns = world.card[card].busy_ns;
  for (int i = 0; i < world.processes_used; ++i) {
    const ProcessCard& use = world.process[i].cards[card];
    if (world.process[i].used == 0 || use.contexts == 0) {
      continue;
    }
    const pid_t pid = file.HolderOf(i);
    if (pid >= 0) {
      work.processes.push_back({static_cast<unsigned>(pid), i, world.process[i].generation,
                                use.context_bytes + use.memory_bytes, use.busy_ns, use.since});
    }
  }
  return work;
}

void WorkHistory::Remember(std::size_t card, const CardWork& work) {
  looks_.resize(std::max(looks_.size(), card + 1));
  std::deque<CardWork>& looks = looks_[card];
  looks.push_back(work);
  while (looks.size() > 1 && looks.front().epoch_us + kKeepUs < work.epoch_us) {
    looks.pop_front();
  }
}

unsigned WorkHistory::ProcessPercent(std::size_t card, const CardWork& now,
                                     const ProcessWork& process, std::uint64_t last_seen_us) const {
  std::uint64_t busy = process.busy_ns;
  std::uint64_t from = process.since_ns;
  if (card < looks_.size()) {
    for (const CardWork& look : looks_[card]) {
      if (look.epoch_us > last_seen_us) {
        break;
      }
      for (const ProcessWork& each : look.processes) {
        if (each.slot == process.slot && each.generation == process.generation) {
          busy = process.busy_ns - each.busy_ns;
          from = look.world_ns;
        }
      }
    }
  }
  return Percent(busy, now.world_ns > from ? now.world_ns - from : 0);
}

}  // namespace aliquot::simgpu
