// SPDX-License-Identifier: Apache-2.0
#include "agent/usage/share_counters.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <thread>

namespace aliquot::agent {
namespace {

constexpr std::uint64_t kMost = ~std::uint64_t{0};

std::shared_ptr<GrantRecord> GrantOf(const std::string& uid, std::size_t cards = 1) {
  auto grant = std::make_shared<GrantRecord>();
  grant->name = "g";
  grant->identity.uid = uid;
  grant->identity.container = "main";
  grant->cards.resize(cards);
  return grant;
}

class ShareCountersTest : public testing::Test {
 protected:
  quota::UsageCell& Cell(std::size_t slot) { return region_->slot[slot].card[0]; }
  // Another process takes the slot, as the library does.
  void Enter(std::size_t slot) {
    Cell(slot) = {};
    ++region_->slot[slot].generation;
  }
  ShareCounts Read() { return Read(*grant_); }
  ShareCounts Read(const GrantRecord& grant) {
    return counters_.Add(grant, *region_, counters_.Now()).at(0);
  }

  std::shared_ptr<GrantRecord> grant_ = GrantOf("u-1");
  std::unique_ptr<quota::UsageRegion> region_ = std::make_unique<quota::UsageRegion>();
  ShareCounters counters_;
};

TEST_F(ShareCountersTest, SumTheSlotsOfEachCard) {
  region_->slot[0].card[0] = {0, 0, 0, 10, 1, 20, 2, 0};
  region_->slot[63].card[0] = {0, 0, 0, 5, 3, 1, 4, 0};
  region_->slot[63].card[1].launches = 9;
  const auto sums = counters_.Add(*GrantOf("u-1", 2), *region_, counters_.Now());
  ASSERT_EQ(sums.size(), 2U);
  EXPECT_EQ(sums[0].busy_ns, 15U);
  EXPECT_EQ(sums[0].launches, 4U);
  EXPECT_EQ(sums[0].throttled_ns, 21U);
  EXPECT_EQ(sums[0].denied, 6U);
  EXPECT_EQ(sums[1].launches, 9U);
}

TEST_F(ShareCountersTest, AReadingThatSaysTheSameAddsNothing) {
  Cell(0).launches = 7;
  Read();
  EXPECT_EQ(Read().launches, 7U);
}

// 7 and 100 of two processes; the first ends and its slot is cleared, the second goes on to 101.
TEST_F(ShareCountersTest, AProcessThatEndsTakesNothingAway) {
  Cell(0) = {0, 0, 0, 70, 7, 700, 1, 0};
  Cell(1).launches = 100;
  Read();
  Cell(0) = {};
  Cell(1).launches = 101;
  const ShareCounts counts = Read();
  EXPECT_EQ(counts.launches, 108U);
  EXPECT_EQ(counts.busy_ns, 70U);
  EXPECT_EQ(counts.throttled_ns, 700U);
  EXPECT_EQ(counts.denied, 1U);
}

// 7 of the one and 9 of the next, though 9 is more than 7.
TEST_F(ShareCountersTest, AnotherGenerationIsAnotherProcess) {
  Cell(0).launches = 7;
  Read();
  Enter(0);
  Cell(0).launches = 9;
  EXPECT_EQ(Read().launches, 16U);
}

// The next owner of a slot wipes it before it takes another generation, and here it is seen in
// between: 7 and 70 of the one, 2 and 20 of the next.
TEST_F(ShareCountersTest, ASlotThatIsSeenWhileItIsWipedIsCountedOnce) {
  Cell(0).launches = 7;
  Cell(0).busy_ns = 70;
  Read();
  Cell(0).launches = 0;
  EXPECT_EQ(Read().busy_ns, 70U) << "half wiped";
  Cell(0).busy_ns = 0;
  Read();
  Enter(0);
  Cell(0).launches = 2;
  Cell(0).busy_ns = 20;
  EXPECT_EQ(Read().launches, 9U);
  EXPECT_EQ(Read().busy_ns, 90U);
}

// A fresh file has the same generations again: 7 + 3 launches, 70 + 30 ns.
TEST_F(ShareCountersTest, LaunchesThatBecomeFewerAreAnotherProcess) {
  Cell(0).launches = 7;
  Cell(0).busy_ns = 70;
  Read();
  Cell(0).launches = 3;
  Cell(0).busy_ns = 30;
  EXPECT_EQ(Read().launches, 10U);
  EXPECT_EQ(Read().busy_ns, 100U);
}

// Charged 100, found to be 90, then 105 in all.
TEST_F(ShareCountersTest, GpuTimeThatIsTakenBackIsNotCountedTwice) {
  Cell(0).launches = 7;
  Cell(0).busy_ns = 100;
  Read();
  Cell(0).busy_ns = 90;
  EXPECT_EQ(Read().busy_ns, 100U);
  Cell(0).busy_ns = 105;
  EXPECT_EQ(Read().busy_ns, 105U);
}

// Its usage file is kept, its grant is made anew.
TEST_F(ShareCountersTest, AnotherStartOfTheSameContainerGoesOn) {
  Cell(0).launches = 7;
  Read();
  Enter(0);
  Cell(0).launches = 1;
  EXPECT_EQ(Read(*GrantOf("u-1")).launches, 8U);
}

TEST_F(ShareCountersTest, AnotherContainerWithTheSameDevicesBeginsAtItsOwn) {
  Cell(0).launches = 7;
  Read();
  Enter(0);
  Cell(0).launches = 1;
  EXPECT_EQ(Read(*GrantOf("u-2")).launches, 1U);
}

TEST_F(ShareCountersTest, AGrantThatIsGoneIsForgotten) {
  Cell(0).launches = 7;
  Read();
  counters_.Retain({grant_}, counters_.Now());
  Cell(0) = {};
  EXPECT_EQ(Read().launches, 7U) << "it lives";
  counters_.Retain({}, counters_.Now());
  EXPECT_EQ(Read().launches, 0U);
}

// Who lists the grants before one is made does not know it yet.
TEST_F(ShareCountersTest, AnOldListForgetsNoGrantThatCameAfterIt) {
  const std::uint64_t listed = counters_.Now();
  Cell(0).launches = 7;
  Read();
  counters_.Retain({}, listed);
  Cell(0) = {};
  EXPECT_EQ(Read().launches, 7U);
}

// Two readings overlap, and the older one comes last: 7, then 5 that were read before.
TEST_F(ShareCountersTest, AReadingThatComesTooLateIsNoNewProcess) {
  const std::uint64_t began = counters_.Now();
  auto older = std::make_unique<quota::UsageRegion>();
  older->slot[0].card[0].launches = 5;
  Cell(0).launches = 7;
  Read();
  EXPECT_EQ(counters_.Add(*grant_, *older, began).at(0).launches, 7U);
  EXPECT_EQ(Read().launches, 7U);
}

TEST_F(ShareCountersTest, SumsStopAtTheLargestNumber) {
  Cell(0) = {kMost, kMost, kMost, kMost, kMost, kMost, kMost, kMost};
  Cell(1) = Cell(0);
  for (int reading = 0; reading < 3; ++reading) {
    const ShareCounts counts = Read();
    EXPECT_EQ(counts.busy_ns, kMost);
    EXPECT_EQ(counts.launches, kMost);
    EXPECT_EQ(counts.throttled_ns, kMost);
    EXPECT_EQ(counts.denied, kMost);
    Enter(0);
  }
}

TEST_F(ShareCountersTest, MoreCardsThanAFileHasAreNotRead) {
  const auto sums = counters_.Add(*GrantOf("u-1", 1000), *region_, counters_.Now());
  EXPECT_EQ(sums.size(), quota::kMaxCards);
}

// Random bytes in every slot, generations that jump or stay, each reading another.
TEST_F(ShareCountersTest, NoFileMakesThemFall) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  ShareCounts before;
  for (int reading = 0; reading < 500; ++reading) {
    for (quota::UsageSlot& slot : region_->slot) {
      slot.generation = random() % 3 == 0 ? random() : slot.generation;
      const unsigned shift = random() % 64;  // small numbers too, so that sums do not stop at once
      const auto any = [&] { return random() % 4 == 0 ? 0 : random() >> 16 >> shift % 48; };
      slot.card[0] = {any(), any(), any(), any(), any(), any(), any(), any()};
    }
    const ShareCounts now = Read();
    ASSERT_GE(now.busy_ns, before.busy_ns);
    ASSERT_GE(now.launches, before.launches);
    ASSERT_GE(now.throttled_ns, before.throttled_ns);
    ASSERT_GE(now.denied, before.denied);
    before = now;
  }
}

// One process that goes on until 2,000 are counted, while three threads read it.
TEST_F(ShareCountersTest, ReadingsOfSeveralThreadsCountEachStepOnce) {
  const auto read = [this] {
    for (std::uint64_t last = 0; last < 2000;) {
      const std::uint64_t began = counters_.Now();
      auto copy = std::make_unique<quota::UsageRegion>();
      copy->slot[0].card[0].launches = __atomic_add_fetch(&Cell(0).launches, 1, __ATOMIC_RELAXED);
      const std::uint64_t counted = counters_.Add(*grant_, *copy, began).at(0).launches;
      EXPECT_GE(counted, last);
      last = counted;
    }
  };
  std::thread threads[3];
  for (std::thread& each : threads) {
    each = std::thread(read);
  }
  for (std::thread& each : threads) {
    each.join();
  }
  EXPECT_EQ(Read().launches, Cell(0).launches);
}

}  // namespace
}  // namespace aliquot::agent
