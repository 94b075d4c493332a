// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "quota/limits_record.h"

// What one container uses, version 1: a file of fixed size that a grant mounts at
// /run/aliquot/usage. The interception library writes it from every process of the container, one
// slot a process; the agent reads it. FORMAT.md describes every byte.
//
// The container may write whatever it likes into it: a reader copies the bytes once (pread, never a
// mapping: the file can be truncated under it) and believes nothing. Own byte order; no function
// allocates, throws, or calls the C library.

namespace aliquot::quota {

inline constexpr char kUsageMagic[8] = {'A', 'L', 'Q', 'U', 'S', 'A', 'G', 'E'};
inline constexpr std::uint16_t kUsageMajor = 1;
inline constexpr std::uint16_t kUsageMinor = 0;
inline constexpr std::size_t kUsageSlots = 64;

// One process on one card; a cache line of its own.
struct UsageCell {
  std::uint64_t committed_bytes;  // device memory held
  std::uint64_t pending_bytes;    // being asked of the driver now
  std::uint64_t peak_bytes;       // most ever committed by this slot
  std::uint64_t busy_ns;          // GPU time of its launches, measured
  std::uint64_t launches;
  std::uint64_t throttled_ns;  // time it was made to wait
  std::uint64_t denied;        // allocations refused by the limit
  std::uint64_t reserved;
};
static_assert(sizeof(UsageCell) == 64);

struct UsageSlot {
  std::uint32_t pid;         // as the container sees it; 0 = free
  std::uint32_t version;     // of the library: major << 16 | minor
  std::uint64_t generation;  // counts the owners of this slot
  std::uint8_t reserved[48];
  UsageCell card[kMaxCards];
};
static_assert(sizeof(UsageSlot) == 64 + 64 * kMaxCards);

// How far the launches of the whole container have used up its time on one card; written by every
// process of it, each word by one atomic step, so that a kill leaves nothing half done.
struct PaceCell {
  std::uint64_t ready_ns;              // CLOCK_MONOTONIC: when what was launched is paid for
  std::int64_t correction_applied_ns;  // of LiveCard::busy_correction_ns
  std::uint64_t percent;               // that ready_ns was reckoned with; 0 = none yet
  std::uint64_t refund_ns;             // GPU time that was charged too much and is given back
  std::uint64_t reserved[4];
};
static_assert(sizeof(PaceCell) == 64);

struct UsageRegion {
  char magic[8];
  std::uint16_t major;
  std::uint16_t minor;
  std::uint32_t size;        // of the file: sizeof(UsageRegion)
  std::uint32_t slots;       // kUsageSlots
  std::uint32_t cards;       // kMaxCards
  std::uint32_t high_water;  // slots at and past it were never used: a hint for scans
  std::uint8_t reserved0[36];
  PaceCell pace[kMaxCards];
  std::uint8_t reserved1[3008];
  UsageSlot slot[kUsageSlots];
};
static_assert(offsetof(UsageRegion, pace) == 64);
static_assert(offsetof(UsageRegion, slot) == 4096);  // a page, so that slots are page-aligned runs
static_assert(sizeof(UsageRegion) == 4096 + kUsageSlots * sizeof(UsageSlot));

enum class UsageFault { kNone, kTooShort, kMagic, kMajor, kSize };

const char* UsageFaultName(UsageFault fault);

// A fresh region: all zero but the header.
void InitialiseUsage(UsageRegion& region);
// kNone: it can be read as a UsageRegion. The numbers in it are still a stranger's.
UsageFault CheckUsage(const void* bytes, std::size_t size);

// Sums over the slots that `alive` names (bit i = slot i); sums stop at the largest number instead
// of wrapping. `high_water` is not believed.
struct CardUsage {
  std::uint64_t held_bytes;  // committed and pending
  std::uint64_t peak_bytes;  // sum of the slots' peaks: an upper bound of the container's
  std::uint64_t busy_ns;
  std::uint64_t launches;
  std::uint64_t throttled_ns;
  std::uint64_t denied;
  std::uint32_t processes;  // with memory or launches on this card
};

CardUsage SumUsage(const UsageRegion& region, std::size_t card, std::uint64_t alive);

}  // namespace aliquot::quota
