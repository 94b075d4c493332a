// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "quota/charge.h"
#include "quota/limits_record.h"
#include "quota/usage_region.h"

// What this process's container may use, and where the process writes down what it uses: the two
// files of src/quota/FORMAT.md. Mapped at the first question, by whichever process of the container
// asks; a process that never uses CUDA never asks.
//
// Thread-safe, fork-safe (a child maps and claims anew), never blocks but for the first mapping.
// The limits may change while the process runs: live values at once, the others within 100 ms of
// their replacement.

namespace aliquot::interposer {

inline constexpr char kLimitsFile[] = "/run/aliquot/limits/record";
inline constexpr char kUsageFile[] = "/run/aliquot/usage";

// True when there is a limits record that asks the library to hold this container. Otherwise every
// hook passes through.
bool Enforced();

// Cards of the container, in the order of its record. Pre for all below: Enforced(), and
// 0 <= card < CardCount().
int CardCount();
// The record's UUID of a card as 16 raw bytes ("GPU-" and the dashes left out).
const std::uint8_t* CardUuid(int card);

struct MemoryLimit {
  std::uint64_t bytes;     // ~0 = no limit: the card is the container's alone
  std::uint64_t overhead;  // held in the driver beyond what was charged (contexts, code, padding),
                           // by the agent's last look at the driver
};
MemoryLimit MemoryLimitOf(int card);

struct CoreLimit {
  std::uint32_t percent;            // may be used just now; 100 = unpaced
  std::int64_t busy_correction_ns;  // cumulative: by how much the measured GPU time was wrong
  std::uint32_t guaranteed;         // the record's core_percent; 100 = never paced
};
CoreLimit CoreLimitOf(int card);

// The container's usage region; where the file cannot be used, a private one that holds each
// process to the limit alone. Never null.
quota::UsageRegion& Region();
// This process's slot in it; -1 when none is free: then nothing can be charged, so nothing is
// allocated (another try is made every 100 ms).
int OwnSlot();
// How a charge that does not fit asks for the slots of processes that are gone.
quota::SlotReclaimer DeadSlots();

}  // namespace aliquot::interposer
