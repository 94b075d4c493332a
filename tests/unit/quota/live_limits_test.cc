// SPDX-License-Identifier: Apache-2.0
#include "quota/live_limits.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

namespace aliquot::quota {
namespace {

TEST(LiveLimits, WhatIsWrittenIsRead) {
  LiveLimits live{};
  const LiveCard written[2] = {{80, 0, 1000, 7, -7}, {30, 0, 2000, 8, -8}};
  WriteLive(live, written, 2);
  LiveCard read[3] = {};
  ASSERT_TRUE(ReadLive(live, read, 3));
  EXPECT_EQ(read[1].core_now, 30U);
  EXPECT_EQ(read[1].expires_ns, 2000U);
  EXPECT_EQ(read[1].overhead_bytes, 8U);
  EXPECT_EQ(read[1].busy_correction_ns, -8);
  EXPECT_EQ(read[2].core_now, 0U);  // cards not named fall back to their guaranteed share
}

TEST(LiveLimits, EveryByteStandsWhereTheFormatSays) {
  LiveLimits live{};
  const LiveCard written[2] = {{}, {0x11, 0, 0x22, 0x33, -2}};
  WriteLive(live, written, 2);
  unsigned char bytes[sizeof live];
  std::memcpy(bytes, &live, sizeof live);
  // FORMAT.md: sequence 8, then 32 bytes a card: percent 4, reserved 4, until 8, overhead 8,
  // correction 8. Card 1 begins at 8 + 32 = 40.
  unsigned char golden[sizeof live] = {};
  golden[0] = 2;  // one write: odd, then even
  golden[40] = 0x11;
  golden[48] = 0x22;
  golden[56] = 0x33;
  golden[64] = 0xfe;
  std::memset(golden + 65, 0xff, 7);
  EXPECT_EQ(std::memcmp(bytes, golden, sizeof bytes), 0);
}

TEST(LiveLimits, AWriterKilledHalfWayIsToldFromAWholeWrite) {
  LiveLimits live{};
  live.sequence = 7;  // odd: the writer never came to its end
  LiveCard read{};
  EXPECT_FALSE(ReadLive(live, &read, 1));
  const LiveCard written{40, 0, 1, 2, 3};
  WriteLive(live, &written, 1);
  ASSERT_TRUE(ReadLive(live, &read, 1));
  EXPECT_EQ(read.core_now, 40U);
}

TEST(LiveLimits, AReaderNeverSeesHalfOfAWrite) {
  LiveLimits live{};
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    for (std::uint32_t i = 1; !stop; ++i) {
      LiveCard cards[16];
      for (LiveCard& each : cards) {
        each = {i, 0, i, i, -std::int64_t{i}};
      }
      WriteLive(live, cards, 16);
      std::this_thread::yield();  // between two writes, or a reader would hardly ever get a whole
                                  // one
    }
  });
  constexpr int kWanted = 5000;
  int seen = 0;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (seen < kWanted && std::chrono::steady_clock::now() < deadline) {
    LiveCard cards[16];
    if (!ReadLive(live, cards, 16)) {
      continue;
    }
    ++seen;
    for (const LiveCard& each : cards) {
      ASSERT_EQ(each.core_now, cards[0].core_now);
      ASSERT_EQ(each.expires_ns, cards[0].core_now);
      ASSERT_EQ(each.overhead_bytes, cards[0].core_now);
      ASSERT_EQ(each.busy_correction_ns, -std::int64_t{cards[0].core_now});
    }
  }
  stop = true;
  writer.join();
  EXPECT_EQ(seen, kWanted);
}

}  // namespace
}  // namespace aliquot::quota
