// SPDX-License-Identifier: Apache-2.0
#include "quota/live_limits.h"

#include <gtest/gtest.h>

#include <atomic>
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
  EXPECT_EQ(read[2].core_now, 0U);  // cards not named fall back to their guaranteed share
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
        each = {i, 0, i};
      }
      WriteLive(live, cards, 16);
    }
  });
  int seen = 0;
  for (int i = 0; i < 20000; ++i) {
    LiveCard cards[16];
    if (!ReadLive(live, cards, 16)) {
      continue;
    }
    ++seen;
    for (const LiveCard& each : cards) {
      ASSERT_EQ(each.core_now, cards[0].core_now);
      ASSERT_EQ(each.expires_ns, cards[0].core_now);
    }
  }
  stop = true;
  writer.join();
  EXPECT_GT(seen, 0);
}

}  // namespace
}  // namespace aliquot::quota
