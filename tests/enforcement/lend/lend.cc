// SPDX-License-Identifier: Apache-2.0
// lend FOLDER...: what the agent does for containers while they run, and nothing else, so that
// pacing can be tried without one. FOLDER has a container's files: limits/record and usage. Every
// 200 ms it looks at what each container launched and at the simulated cards' own count of its GPU
// time, and writes the live values by the agent's own policies. ALIQUOT_SIMGPU_WORLD names the
// world. Runs until it is killed.
//   --percent      GPU time in whole percent, as NVML tells it
//   --no-lending   corrections only
#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "agent/enforcement/lending.h"
#include "agent/enforcement/time_correction.h"
#include "quota/limits_record.h"
#include "quota/usage_region.h"
#include "tests/simgpu/world/engine.h"
#include "tests/simgpu/world/world_file.h"

namespace {

using aliquot::agent::LendCores;
using aliquot::agent::LendingShare;
using aliquot::agent::TimeCorrection;
namespace quota = aliquot::quota;
namespace simgpu = aliquot::simgpu;

constexpr std::uint64_t kEveryNs = 200'000'000;
constexpr std::uint64_t kLeaseNs = 800'000'000;
constexpr std::uint64_t kActiveNs = 500'000'000;

struct Options {
  bool percent = false;
  bool lending = true;
};

// One card of one container.
struct Share {
  int card = -1;  // of the world
  TimeCorrection correction;
  std::uint64_t launches = 0;
  std::uint64_t throttled_ns = 0;
  std::uint64_t moved_ns = 0;  // when either did last; 0 = never
};

struct Container {
  std::string folder;
  int usage_file = -1;
  quota::LimitsRecord* record = nullptr;
  std::unique_ptr<quota::UsageRegion> usage = std::make_unique<quota::UsageRegion>();
  std::vector<Share> shares;
};

// GPU time by process and card, as the world counts it.
using Busy = std::map<std::pair<int, int>, std::uint64_t>;  // (process ID, card)

void OpenContainer(const std::string& folder, const simgpu::WorldLayout& world, Container& to) {
  to.folder = folder;
  const int record = open((folder + "/limits/record").c_str(), O_RDWR | O_CLOEXEC);
  to.usage_file = open((folder + "/usage").c_str(), O_RDONLY | O_CLOEXEC);
  void* const place = record < 0 ? MAP_FAILED
                                 : mmap(nullptr, sizeof(quota::LimitsRecord),
                                        PROT_READ | PROT_WRITE, MAP_SHARED, record, 0);
  if (place == MAP_FAILED || to.usage_file < 0) {
    throw std::runtime_error(folder + " has no limits/record and usage");
  }
  close(record);
  to.record = static_cast<quota::LimitsRecord*>(place);
  to.shares.resize(to.record->cards);
  for (std::uint32_t i = 0; i < to.record->cards; ++i) {
    for (std::uint32_t card = 0; card < world.cards; ++card) {
      if (std::strcmp(world.card[card].uuid, to.record->card[i].uuid) == 0) {
        to.shares[i].card = static_cast<int>(card);
      }
    }
    if (to.shares[i].card < 0) {
      throw std::runtime_error(folder + " names a card that the world does not have");
    }
  }
}

Busy ReadBusy(simgpu::WorldFile& file) {
  Busy busy;
  simgpu::WorldLayout& world = file.layout();
  const simgpu::WorldLock lock(file);
  file.Reap();
  for (int card = 0; card < static_cast<int>(world.cards); ++card) {
    simgpu::AdvanceCard(world, card, file.Now());
    for (int i = 0; i < world.processes_used; ++i) {
      if (world.process[i].used != 0 && world.process[i].cards[card].contexts != 0) {
        busy[{file.HolderOf(i), card}] += world.process[i].cards[card].busy_ns;
      }
    }
  }
  return busy;
}

class Lending {
 public:
  Lending(const Options& options, simgpu::WorldFile& world, std::vector<Container> containers)
      : options_(options), world_(world), containers_(std::move(containers)) {}

  void Look(std::uint64_t now) {
    for (Container& container : containers_) {
      if (pread(container.usage_file, container.usage.get(), sizeof(quota::UsageRegion), 0) !=
          static_cast<ssize_t>(sizeof(quota::UsageRegion))) {
        throw std::runtime_error(container.folder + "/usage is too short");
      }
    }
    const Busy busy = ReadBusy(world_);
    for (Container& container : containers_) {
      for (std::size_t i = 0; i < container.shares.size(); ++i) {
        Correct(container, i, busy, now);
        Watch(container, i, now);
      }
    }
    before_ = busy;
    looked_ns_ = now;
    Write(now);
  }

 private:
  void Correct(Container& container, std::size_t index, const Busy& busy, std::uint64_t now) const {
    Share& share = container.shares[index];
    std::uint64_t ran = 0;
    bool ended = false;
    for (const quota::UsageSlot& slot : container.usage->slot) {
      const auto process = std::make_pair(static_cast<int>(slot.pid), share.card);
      const auto is = busy.find(process);
      const auto was = before_.find(process);
      ended = ended || (slot.pid != 0 && was != before_.end() && is == busy.end());
      if (slot.pid != 0 && is != busy.end()) {
        ran += is->second - (was == before_.end() ? 0 : was->second);
      }
    }
    TimeCorrection::DriverTime driver{ran, 0};
    if (options_.percent && looked_ns_ != 0) {
      const std::uint64_t one = (now - looked_ns_) / 100;
      driver = {ran / one * one, one};
    }
    share.correction.Look(*container.usage, index, driver, ended);
  }

  static void Watch(Container& container, std::size_t index, std::uint64_t now) {
    Share& share = container.shares[index];
    const quota::CardUsage used = quota::SumUsage(*container.usage, index, ~std::uint64_t{0});
    if (used.launches != share.launches || used.throttled_ns != share.throttled_ns) {
      share.moved_ns = now;
    }
    share.launches = used.launches;
    share.throttled_ns = used.throttled_ns;
  }

  void Write(std::uint64_t now) {
    std::map<int, std::vector<LendingShare>> cards;
    for (const Container& container : containers_) {
      for (std::size_t i = 0; i < container.shares.size(); ++i) {
        const Share& share = container.shares[i];
        const quota::CardLimits& limits = container.record->card[i];
        cards[share.card].push_back({limits.core_percent, limits.ceiling_percent,
                                     share.moved_ns != 0 && now - share.moved_ns < kActiveNs});
      }
    }
    std::map<int, std::vector<std::uint32_t>> lent;
    std::map<int, std::size_t> next;
    for (const auto& [card, shares] : cards) {
      lent[card] = LendCores(shares);
    }
    for (Container& container : containers_) {
      std::vector<quota::LiveCard> live(container.shares.size());
      for (std::size_t i = 0; i < live.size(); ++i) {
        const Share& share = container.shares[i];
        const std::uint32_t percent = lent[share.card][next[share.card]++];
        live[i].core_now = options_.lending ? percent : 0;
        live[i].expires_ns = options_.lending ? now + kLeaseNs : 0;
        live[i].busy_correction_ns = share.correction.ns();
      }
      quota::WriteLive(container.record->live, live.data(), live.size());
    }
  }

  const Options options_;
  simgpu::WorldFile& world_;
  std::vector<Container> containers_;
  Busy before_;
  std::uint64_t looked_ns_ = 0;
};

int Run(int count, char** words) {
  Options options;
  simgpu::WorldFile* const world = simgpu::WorldFile::Open();
  if (world == nullptr) {
    throw std::runtime_error("ALIQUOT_SIMGPU_WORLD names no world");
  }
  std::vector<Container> containers;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--percent") {
      options.percent = true;
    } else if (word == "--no-lending") {
      options.lending = false;
    } else {
      OpenContainer(word, world->layout(), containers.emplace_back());
    }
  }
  Lending lending(options, *world, std::move(containers));
  std::printf("{\"lends\": true}\n");
  std::fflush(stdout);
  for (std::uint64_t next = simgpu::RealNow();; next += kEveryNs) {
    const timespec until{static_cast<time_t>(next / 1'000'000'000),
                         static_cast<long>(next % 1'000'000'000)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
    lending.Look(simgpu::RealNow());
  }
}

}  // namespace

int main(int count, char** words) {
  try {
    return Run(count, words);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "lend: %s\n", problem.what());
    return 1;
  }
}
