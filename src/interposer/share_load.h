// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "quota/usage_region.h"

// How busy a container kept a card between two looks at its usage, in percent of the card's time
// (not of the share: a container that uses all of a 30 % share shows 30, and what it borrows shows
// as well). Pure.

namespace aliquot::interposer {

// One process of the container, as its slot tells.
struct SlotLook {
  std::uint32_t pid;  // 0 = nobody
  std::uint64_t generation;
  std::uint64_t bytes;  // held on this card
  std::uint64_t busy_ns;
  std::uint64_t launches;
};

struct ShareLook {
  std::uint64_t at_ns;    // CLOCK_MONOTONIC
  std::int64_t extra_ns;  // GPU time that the processes did not measure themselves, by the driver
  SlotLook slot[quota::kUsageSlots];
};

struct ShareLoad {
  std::uint32_t percent;
  std::uint8_t slot_percent[quota::kUsageSlots];  // add up to `percent`, but for rounding
};

// What nobody measured is divided as the measured time is, else as the launches are. A process that
// came in between counts from its start; one that went, not at all.
ShareLoad LoadBetween(const ShareLook& before, const ShareLook& after);

// A part of the driver's own figure of memory traffic: in proportion to the card's time.
std::uint32_t MemoryLoad(std::uint32_t share_percent, std::uint32_t card_percent,
                         std::uint32_t card_memory_percent);

}  // namespace aliquot::interposer
