// SPDX-License-Identifier: Apache-2.0
#include "interposer/share_load.h"

#include <gtest/gtest.h>

#include "interposer/process_rows.h"

namespace aliquot::interposer {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

ShareLook At(std::uint64_t seconds) {
  ShareLook look = {};
  look.at_ns = seconds * kSecond;
  return look;
}

// 0.2 s and 0.1 s of the second's time, and 0.03 s that nobody measured, which is divided as 2
// to 1.
TEST(ShareLoad, IsTheContainersGpuTimeInPercentOfTheCardsTime) {
  ShareLook before = At(1);
  ShareLook after = At(2);
  before.slot[0] = {7, 1, 0, kSecond, 10};
  after.slot[0] = {7, 1, 0, kSecond + kSecond / 5, 20};
  before.slot[3] = {8, 1, 0, 0, 0};
  after.slot[3] = {8, 1, 0, kSecond / 10, 1};
  before.extra_ns = 5;
  after.extra_ns = 5 + static_cast<std::int64_t>(kSecond) * 3 / 100;
  const ShareLoad load = LoadBetween(before, after);
  EXPECT_EQ(load.percent, 33U);
  EXPECT_EQ(load.slot_percent[0], 22U);
  EXPECT_EQ(load.slot_percent[3], 11U);
}

TEST(ShareLoad, TimeThatNobodyMeasuredGoesByLaunches) {
  ShareLook before = At(1);
  ShareLook after = At(2);
  before.slot[0] = {7, 1, 0, 0, 100};
  after.slot[0] = {7, 1, 0, 0, 130};
  before.slot[1] = {8, 1, 0, 0, 0};
  after.slot[1] = {8, 1, 0, 0, 10};
  after.extra_ns = static_cast<std::int64_t>(kSecond) * 4 / 5;
  const ShareLoad load = LoadBetween(before, after);
  EXPECT_EQ(load.percent, 80U);
  EXPECT_EQ(load.slot_percent[0], 60U);
  EXPECT_EQ(load.slot_percent[1], 20U);
}

TEST(ShareLoad, ASlotsNewOwnerCountsFromItsStart) {
  ShareLook before = At(1);
  ShareLook after = At(2);
  before.slot[0] = {7, 1, 0, kSecond * 50, 10};
  after.slot[0] = {7, 2, 0, kSecond / 4, 10};
  EXPECT_EQ(LoadBetween(before, after).percent, 25U);
}

TEST(ShareLoad, StaysBetweenNothingAndTheWholeCardWhateverTheCountersSay) {
  ShareLook before = At(1);
  ShareLook after = At(2);
  before.slot[0] = {7, 1, 0, 5, 0};
  after.slot[0] = {7, 1, 0, ~0ULL, 1};
  EXPECT_EQ(LoadBetween(before, after).percent, 100U);
  after.slot[0].busy_ns = 0;  // ran backwards
  EXPECT_EQ(LoadBetween(before, after).percent, 0U);
  after.extra_ns = -static_cast<std::int64_t>(kSecond);
  EXPECT_EQ(LoadBetween(before, after).percent, 0U);
  EXPECT_EQ(LoadBetween(after, before).percent, 0U);  // no time between them
}

TEST(MemoryLoad, IsThePartOfTheCardsTrafficThatGoesWithTheTime) {
  EXPECT_EQ(MemoryLoad(30, 90, 60), 20U);  // a third of the card's time
  EXPECT_EQ(MemoryLoad(30, 0, 0), 0U);
  EXPECT_EQ(MemoryLoad(95, 90, 60), 60U);  // never more than the card's
}

struct Row {
  unsigned pid;
};

ShareLook TwoProcesses() {
  ShareLook look = {};
  look.slot[0] = {7, 1, 4096, 0, 0};  // holds memory
  look.slot[2] = {9, 1, 0, 0, 0};     // does nothing on this card
  return look;
}

TEST(ProcessRows, TheContainersOwnAreKept) {
  Row rows[] = {{5}, {7}, {0}, {9}};
  EXPECT_EQ(KeepOwnRows(TwoProcesses(), rows, 4), 2U);
  EXPECT_EQ(rows[0].pid, 7U);
  EXPECT_EQ(rows[1].pid, 9U);
}

TEST(ProcessRows, NumbersAreTheContainersWhenEveryoneOnTheCardIsListed) {
  const Row ours[] = {{5}, {7}};
  const Row others[] = {{4005}, {4007}};
  EXPECT_TRUE(NumbersAreOurs(TwoProcesses(), ours, 2));
  EXPECT_FALSE(NumbersAreOurs(TwoProcesses(), others, 2));
  EXPECT_FALSE(NumbersAreOurs(TwoProcesses(), ours, 0));
  EXPECT_TRUE(NumbersAreOurs(ShareLook{}, others, 2));
}

}  // namespace
}  // namespace aliquot::interposer
