// SPDX-License-Identifier: Apache-2.0
// Processes that race for one limit, beside a counter of their own that knows nothing of slots.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <random>
#include <vector>

#include "quota/charge.h"

namespace aliquot::quota {
namespace {

constexpr std::size_t kRacers = 8;
constexpr std::uint64_t kLimit = 1000;
constexpr SlotReclaimer kNobodyDied{nullptr, [] { ::usleep(0); }, nullptr};

struct Shared {
  UsageRegion region;
  std::atomic<std::uint64_t> held;  // added after a charge, taken away before its refund
  std::atomic<std::uint64_t> most;
  std::atomic<std::uint64_t> admitted;
  std::atomic<std::uint64_t> refused;
  std::atomic<bool> dead[kRacers];
};

// Memory that all of the processes see.
class SharedMemory {
 public:
  SharedMemory()
      : shared_(static_cast<Shared*>(::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                                            MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    InitialiseUsage(shared_->region);
  }
  ~SharedMemory() { ::munmap(shared_, sizeof(Shared)); }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  Shared* operator->() const { return shared_; }
  Shared& operator*() const { return *shared_; }

 private:
  Shared* const shared_;
};

void Note(Shared& shared, std::uint64_t bytes) {
  const std::uint64_t now = shared.held += bytes;
  std::uint64_t most = shared.most;
  while (now > most && !shared.most.compare_exchange_weak(most, now)) {
  }
}

void Race(Shared& shared, std::size_t slot, int operations, std::uint32_t seed) {
  std::mt19937 random(seed);
  RaiseHighWater(shared.region, slot);
  std::vector<std::uint64_t> mine;
  for (int i = 0; i < operations; ++i) {
    const std::uint64_t bytes = 1 + random() % 400;
    if (Charge(shared.region, slot, 0, bytes, kLimit, kNobodyDied) == ChargeResult::kAdmitted) {
      Note(shared, bytes);
      ++shared.admitted;
      Settle(shared.region, slot, 0, bytes, bytes);
      mine.push_back(bytes);
    } else {
      ++shared.refused;
    }
    while (mine.size() > random() % 3) {
      shared.held -= mine.back();
      Refund(shared.region, slot, 0, mine.back());
      mine.pop_back();
    }
  }
  for (const std::uint64_t bytes : mine) {
    shared.held -= bytes;
    Refund(shared.region, slot, 0, bytes);
  }
}

TEST(ChargeRace, EightProcessesNeverHoldMoreThanTheLimit) {
  const std::uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  const SharedMemory shared;
  std::vector<pid_t> racers;
  for (std::size_t slot = 0; slot < kRacers; ++slot) {
    const pid_t racer = ::fork();
    ASSERT_GE(racer, 0);
    if (racer == 0) {
      Race(*shared, slot, 20'000, seed + static_cast<std::uint32_t>(slot));
      ::_exit(0);
    }
    racers.push_back(racer);
  }
  for (const pid_t racer : racers) {
    int status = 0;
    ASSERT_EQ(::waitpid(racer, &status, 0), racer);
    EXPECT_EQ(status, 0);
  }
  EXPECT_LE(shared->most, kLimit);
  EXPECT_GT(shared->most, kLimit / 2);  // it was a race for room
  EXPECT_GT(shared->refused, 0U);
  EXPECT_EQ(shared->admitted + shared->refused, kRacers * 20'000U);
  EXPECT_EQ(HeldBytes(shared->region, 0), 0U);
}

int ReclaimDead(void* context) {
  auto& shared = *static_cast<Shared*>(context);
  int cleared = 0;
  for (std::size_t slot = 0; slot < kRacers; ++slot) {
    if (shared.dead[slot] && HoldsAnything(shared.region.slot[slot])) {
      ClearSlot(shared.region.slot[slot]);
      ++cleared;
    }
  }
  return cleared;
}

TEST(ChargeRace, KilledAtAnyInstructionNothingLeaks) {
  const std::uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const SharedMemory shared;
  RaiseHighWater(shared->region, kRacers);
  const SlotReclaimer reclaimer{ReclaimDead, nullptr, &*shared};
  for (int round = 0; round < 25; ++round) {
    std::vector<pid_t> racers;
    for (std::size_t slot = 0; slot < kRacers; ++slot) {
      shared->dead[slot] = false;
      const pid_t racer = ::fork();
      ASSERT_GE(racer, 0);
      if (racer == 0) {
        Race(*shared, slot, 100'000'000, seed + static_cast<std::uint32_t>(slot));
        ::_exit(0);
      }
      racers.push_back(racer);
    }
    ::usleep(random() % 3000);  // where the kill meets them is the point of the test
    for (std::size_t slot = 0; slot < kRacers; ++slot) {
      ASSERT_EQ(::kill(racers[slot], SIGKILL), 0);
      ASSERT_EQ(::waitpid(racers[slot], nullptr, 0), racers[slot]);
      shared->dead[slot] = true;
    }
    ASSERT_EQ(Charge(shared->region, kRacers, 0, kLimit, kLimit, reclaimer),
              ChargeResult::kAdmitted)
        << "round " << round;
    ASSERT_EQ(HeldBytes(shared->region, 0), kLimit);
    Refund(shared->region, kRacers, 0, kLimit);
  }
}

TEST(ChargeRace, ThreadsOfOneProcessShareASlot) {
  const SharedMemory shared;
  RaiseHighWater(shared->region, 0);
  const auto work = [](void* argument) -> void* {
    auto& it = *static_cast<Shared*>(argument);
    for (int i = 0; i < 20'000; ++i) {
      if (Charge(it.region, 0, 0, 400, kLimit, kNobodyDied) == ChargeResult::kAdmitted) {
        Note(it, 400);
        it.held -= 400;
        Refund(it.region, 0, 0, 400);
      }
    }
    return nullptr;
  };
  pthread_t threads[4];
  for (pthread_t& thread : threads) {
    ASSERT_EQ(::pthread_create(&thread, nullptr, work, &*shared), 0);
  }
  for (const pthread_t thread : threads) {
    ASSERT_EQ(::pthread_join(thread, nullptr), 0);
  }
  EXPECT_LE(shared->most, kLimit);
  EXPECT_EQ(HeldBytes(shared->region, 0), 0U);
}

}  // namespace
}  // namespace aliquot::quota
