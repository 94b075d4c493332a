// SPDX-License-Identifier: Apache-2.0
#include "interposer/usage_slot.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "quota/charge.h"

namespace aliquot::interposer {
namespace {

// On /dev/shm: a record lock that a mapping keeps needs a file system that is no overlay.
class UsageSlotTest : public testing::Test {
 protected:
  UsageSlotTest() {
    std::string name = "/dev/shm/usage-XXXXXX";
    const int file = ::mkstemp(name.data());
    ::close(file);
    path_ = name;
    const auto fresh = std::make_unique<quota::UsageRegion>();
    quota::InitialiseUsage(*fresh);
    Write(fresh.get(), sizeof *fresh);
  }
  ~UsageSlotTest() override { std::filesystem::remove(path_); }

  void Write(const void* bytes, std::size_t size) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc)
        .write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
  }

  // A process that takes a slot, then runs `then` with it and ends with its answer.
  template <typename Then>
  pid_t Process(Then then) const {
    const pid_t child = ::fork();
    if (child == 0) {
      quota::UsageRegion* const region = MapUsage(path_.c_str());
      int slot = -1;
      const bool claimed =
          region != nullptr && ClaimSlot(path_.c_str(), *region, slot) == ClaimResult::kClaimed;
      ::_exit(claimed ? then(*region, slot) : 100);
    }
    return child;
  }

  static int End(pid_t child) {
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  const char* path() const { return path_.c_str(); }

 private:
  std::string path_;
};

class Pipe {
 public:
  Pipe() { EXPECT_EQ(::pipe(ends_.data()), 0); }
  ~Pipe() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void Say() const { EXPECT_EQ(::write(ends_[1], "x", 1), 1); }
  void Hear() const {
    char byte = 0;
    EXPECT_EQ(::read(ends_[0], &byte, 1), 1);
  }

 private:
  std::array<int, 2> ends_{};
};

TEST_F(UsageSlotTest, TakesTheLowestFreeSlotAndSaysWhoItIs) {
  quota::UsageRegion* const region = MapUsage(path());
  ASSERT_NE(region, nullptr);
  region->slot[0].card[3].committed_bytes = 5;  // left by somebody
  int slot = -1;
  ASSERT_EQ(ClaimSlot(path(), *region, slot), ClaimResult::kClaimed);
  EXPECT_EQ(slot, 0);
  EXPECT_EQ(region->slot[0].pid, static_cast<std::uint32_t>(::getpid()));
  EXPECT_EQ(region->slot[0].generation, 1U);
  EXPECT_EQ(region->slot[0].card[3].committed_bytes, 0U);
  EXPECT_EQ(region->high_water, 1U);
  ASSERT_EQ(ClaimSlot(path(), *region, slot), ClaimResult::kClaimed);
  EXPECT_EQ(slot, 1);
}

TEST_F(UsageSlotTest, NotMoreThanThereAre) {
  quota::UsageRegion* const region = MapUsage(path());
  int slot = -1;
  for (int i = 0; i < 64; ++i) {
    ASSERT_EQ(ClaimSlot(path(), *region, slot), ClaimResult::kClaimed);
    ASSERT_EQ(slot, i);
  }
  EXPECT_EQ(ClaimSlot(path(), *region, slot), ClaimResult::kNoneFree);
}

TEST_F(UsageSlotTest, LivesThroughTheClosingOfAllDescriptors) {
  const Pipe ready;
  const Pipe done;
  const pid_t owner = Process([&](quota::UsageRegion& region, int slot) {
    region.slot[slot].card[0].committed_bytes = 9;
    for (int file = 3; file < 256; ++file) {  // as some programs do; but for the pipes
      if (::fcntl(file, F_GETFD) >= 0 && file > 6) {
        ::close(file);
      }
    }
    ready.Say();
    done.Hear();
    return 0;
  });
  ready.Hear();
  quota::UsageRegion* const region = MapUsage(path());
  EXPECT_EQ(ClearDeadSlots(path(), *region, -1), 0);
  EXPECT_EQ(region->slot[0].card[0].committed_bytes, 9U);
  done.Say();
  EXPECT_EQ(End(owner), 0);
  EXPECT_EQ(ClearDeadSlots(path(), *region, -1), 1);
  EXPECT_EQ(region->slot[0].card[0].committed_bytes, 0U);
}

TEST_F(UsageSlotTest, AKilledOwnersSlotIsFreeThoughItsChildLives) {
  const Pipe ready;
  const Pipe done;
  const Pipe grandchild;
  const pid_t owner = Process([&](quota::UsageRegion& region, int slot) {
    region.slot[slot].card[0].pending_bytes = 4;
    if (::fork() == 0) {
      grandchild.Say();
      done.Hear();
      ::_exit(0);
    }
    ready.Say();
    ::pause();
    return 0;
  });
  ready.Hear();
  grandchild.Hear();
  quota::UsageRegion* const region = MapUsage(path());
  EXPECT_EQ(ClearDeadSlots(path(), *region, -1), 0);
  ASSERT_EQ(::kill(owner, SIGKILL), 0);
  EXPECT_EQ(End(owner), -1);
  EXPECT_EQ(ClearDeadSlots(path(), *region, -1), 1);
  EXPECT_EQ(quota::HeldBytes(*region, 0), 0U);
  done.Say();
}

TEST_F(UsageSlotTest, AnExecGivesTheSlotBack) {
  const Pipe ready;
  const pid_t owner = Process([&](quota::UsageRegion& region, int slot) {
    region.slot[slot].card[0].committed_bytes = 1;
    ready.Say();
    ::execl("/bin/sleep", "sleep", "60", nullptr);
    return 1;
  });
  ready.Hear();
  quota::UsageRegion* const region = MapUsage(path());
  int cleared = 0;
  for (int i = 0; i < 5000 && cleared == 0; ++i) {  // until the exec has happened
    cleared = ClearDeadSlots(path(), *region, -1);
    ::usleep(1000);
  }
  EXPECT_EQ(cleared, 1);
  EXPECT_EQ(::kill(owner, SIGKILL), 0);
  EXPECT_EQ(End(owner), -1);
}

TEST_F(UsageSlotTest, TheOwnSlotAndEmptyOnesAreNotCleared) {
  quota::UsageRegion* const region = MapUsage(path());
  int slot = -1;
  ASSERT_EQ(ClaimSlot(path(), *region, slot), ClaimResult::kClaimed);
  region->slot[slot].card[0].committed_bytes = 3;
  EXPECT_EQ(ClearDeadSlots(path(), *region, slot), 0);
  EXPECT_EQ(region->slot[slot].card[0].committed_bytes, 3U);
}

TEST_F(UsageSlotTest, ADamagedOrShortFileIsNotMapped) {
  EXPECT_EQ(MapUsage("/dev/shm/no-such-usage-file"), nullptr);
  EXPECT_EQ(MapUsage("/dev/shm"), nullptr);
  Write("short", 5);
  EXPECT_EQ(MapUsage(path()), nullptr);
  const std::vector<char> garbage(sizeof(quota::UsageRegion), 'x');
  Write(garbage.data(), garbage.size());
  EXPECT_EQ(MapUsage(path()), nullptr);
}

TEST_F(UsageSlotTest, APrivateRegionIsWholeAndOwned) {
  const quota::UsageRegion* const region = PrivateUsage();
  ASSERT_NE(region, nullptr);
  EXPECT_EQ(quota::CheckUsage(region, sizeof *region), quota::UsageFault::kNone);
  EXPECT_EQ(region->slot[0].pid, static_cast<std::uint32_t>(::getpid()));
}

// The whole of it: processes that charge, are killed anywhere, and leave nothing.
TEST_F(UsageSlotTest, KilledAnywhereAProcessLeavesNothing) {
  const std::uint32_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  quota::UsageRegion* const region = MapUsage(path());
  constexpr std::uint64_t kLimit = 1000;
  for (int round = 0; round < 20; ++round) {
    std::vector<pid_t> processes;
    for (std::uint32_t i = 0; i < 4; ++i) {
      processes.push_back(Process([&](quota::UsageRegion& shared, int slot) {
        std::mt19937 own(seed + i);
        const quota::SlotReclaimer none{nullptr, nullptr, nullptr};
        for (;;) {
          const std::uint64_t bytes = 1 + own() % 400;
          const auto at = static_cast<std::size_t>(slot);
          if (quota::Charge(shared, at, 0, bytes, kLimit, none) == quota::ChargeResult::kAdmitted) {
            quota::Settle(shared, at, 0, bytes, bytes);
            quota::Refund(shared, at, 0, bytes);
          }
        }
        return 0;
      }));
    }
    ::usleep(random() % 5000);  // where the kill meets them is the point of the test
    for (const pid_t process : processes) {
      ASSERT_EQ(::kill(process, SIGKILL), 0);
      End(process);
    }
    ClearDeadSlots(path(), *region, -1);
    ASSERT_EQ(quota::HeldBytes(*region, 0), 0U) << "round " << round;
  }
}

}  // namespace
}  // namespace aliquot::interposer
