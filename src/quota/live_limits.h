// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// The part of a limits record that changes while the container runs: how much of each card it may
// use just now, and what the driver says that it uses. One writer (the agent), many readers (the
// container's processes), through a shared mapping under a sequence lock: a reader that meets a
// write tries again.

namespace aliquot::quota {

struct LiveCard {
  std::uint32_t core_now;  // percent; 0 = the guaranteed share holds
  std::uint32_t reserved;
  std::uint64_t expires_ns;  // CLOCK_MONOTONIC; past it the guaranteed share holds
  // What the driver counts for this container beyond what its processes charged: contexts, code,
  // padding. Holds until it is written again.
  std::uint64_t overhead_bytes;
  // Since the container began: the driver's GPU time less what its processes measured.
  std::int64_t busy_correction_ns;
};
static_assert(sizeof(LiveCard) == 32);

struct LiveLimits {
  std::uint64_t sequence;  // odd while it is being written
  LiveCard card[16];
};
static_assert(sizeof(LiveLimits) == 8 + 16 * 32);

// Replaces the values of all cards. Pre: `live` is writable, 8-byte aligned, and nobody else
// writes.
void WriteLive(LiveLimits& live, const LiveCard* cards, std::size_t count);
// False when a write was under way for all of `tries`; `out` then holds nothing of use.
bool ReadLive(const LiveLimits& live, LiveCard* out, std::size_t count, int tries = 100);

}  // namespace aliquot::quota
