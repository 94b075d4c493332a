// SPDX-License-Identifier: Apache-2.0
#include "quota/usage_region.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <memory>
#include <vector>

namespace aliquot::quota {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

std::unique_ptr<UsageRegion> Fresh() {
  auto region = std::make_unique<UsageRegion>();
  InitialiseUsage(*region);
  return region;
}

TEST(UsageRegion, AFreshOneIsReadableAndEmpty) {
  const auto region = Fresh();
  EXPECT_EQ(CheckUsage(region.get(), sizeof *region), UsageFault::kNone);
  const CardUsage sum = SumUsage(*region, 0, kMost);
  EXPECT_EQ(sum.held_bytes, 0U);
  EXPECT_EQ(sum.processes, 0U);
}

TEST(UsageRegion, EveryByteStandsWhereTheFormatSays) {
  const auto region = Fresh();
  region->high_water = 3;
  region->pace[1].ready_ns = 0x44;
  region->pace[1].correction_applied_ns = 0x55;
  region->slot[2].pid = 0x66;
  region->slot[2].version = 0x77;
  region->slot[2].generation = 0x78;
  region->slot[2].card[1] = {1, 2, 3, 4, 5, 6, 7, 0};
  std::vector<unsigned char> bytes(sizeof *region);
  std::memcpy(bytes.data(), region.get(), bytes.size());
  std::vector<unsigned char> golden(73728);
  std::memcpy(golden.data(), "ALQUSAGE", 8);
  golden[8] = 1;      // major
  golden[13] = 0x20;  // size 73,728 = 0x12000
  golden[14] = 0x01;
  golden[16] = 64;     // slots
  golden[20] = 16;     // cards
  golden[24] = 3;      // slots ever used
  golden[128] = 0x44;  // 64 + 1 x 64: card 1
  golden[136] = 0x55;
  const std::size_t slot = 4096 + 2 * 1088;
  golden[slot] = 0x66;
  golden[slot + 4] = 0x77;
  golden[slot + 8] = 0x78;
  for (unsigned char i = 0; i < 7; ++i) {  // slot + 64 + 1 x 64: card 1
    golden[slot + 128 + 8 * std::size_t{i}] = static_cast<unsigned char>(i + 1);
  }
  EXPECT_EQ(bytes, golden);
}

TEST(UsageRegion, HoldsWhatIsCommittedAndWhatIsPending) {
  const auto region = Fresh();
  region->slot[0].card[1].committed_bytes = 100;
  region->slot[63].card[1].pending_bytes = 20;
  EXPECT_EQ(SumUsage(*region, 1, kMost).held_bytes, 120U);
  EXPECT_EQ(SumUsage(*region, 1, kMost).processes, 1U);
  EXPECT_EQ(SumUsage(*region, 0, kMost).held_bytes, 0U);
}

TEST(UsageRegion, ASlotThatNobodyHoldsCountsForNothing) {
  const auto region = Fresh();
  region->slot[0].card[0].committed_bytes = 100;
  region->slot[1].card[0].committed_bytes = 7;
  EXPECT_EQ(SumUsage(*region, 0, 0b10).held_bytes, 7U);
}

TEST(UsageRegion, HugeNumbersStopAtTheLargestInsteadOfWrapping) {
  const auto region = Fresh();
  region->slot[0].card[0].committed_bytes = kMost;
  region->slot[1].card[0].committed_bytes = 5;
  EXPECT_EQ(SumUsage(*region, 0, kMost).held_bytes, kMost);
}

TEST(UsageRegion, ACardPastTheLastIsNothing) {
  EXPECT_EQ(SumUsage(*Fresh(), kMaxCards, kMost).held_bytes, 0U);
}

TEST(UsageRegion, AForgedHeaderIsRefused) {
  const auto good = Fresh();
  const auto fault = [&](auto change) {
    auto region = std::make_unique<UsageRegion>(*good);
    change(*region);
    return CheckUsage(region.get(), sizeof *region);
  };
  EXPECT_EQ(fault([](UsageRegion& r) { r.magic[0] = 'x'; }), UsageFault::kMagic);
  EXPECT_EQ(fault([](UsageRegion& r) { r.major = 2; }), UsageFault::kMajor);
  EXPECT_EQ(fault([](UsageRegion& r) { r.size = 1; }), UsageFault::kSize);
  EXPECT_EQ(fault([](UsageRegion& r) { r.slots = 1000; }), UsageFault::kSize);
  EXPECT_EQ(fault([](UsageRegion& r) { r.cards = 17; }), UsageFault::kSize);
  EXPECT_EQ(CheckUsage(good.get(), sizeof *good - 1), UsageFault::kTooShort);
}

}  // namespace
}  // namespace aliquot::quota
