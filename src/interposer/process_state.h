// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "interposer/allocation_table.h"
#include "interposer/limits_view.h"
#include "interposer/lock.h"
#include "quota/usage_region.h"

// What this process knows of itself, in memory that the child of a fork finds all zero
// (MADV_WIPEONFORK, Linux 4.14): there it is as if nothing had been asked yet, so the child claims
// a slot of its own, has allocated nothing, and no lock is held, whatever other threads of the
// parent did. A child of vfork shares its parent's memory, and so its parent's state.

namespace aliquot::interposer {

inline constexpr int kMostDevices = 64;

struct ProcessState {
  Lock opening;
  std::uint32_t open;  // 1: all below is set up
  LimitsView limits;
  quota::UsageRegion* region;
  std::int32_t slot;            // -1: none was free
  std::uint32_t is_private;     // the region is no file
  std::uint64_t next_look_ns;   // coarse clock: when to look at the limits' file again
  std::uint64_t next_claim_ns;  // when to ask for a slot again
  AllocationTable allocations;
  std::uint32_t pools;  // entries of the kind kPool, never taken away: 0 = no need to look
  std::uint64_t default_pool[quota::kMaxCards];  // the driver's own one of each card that was used
  std::uint32_t graph_execs;                     // of graphs with memory, ever
  std::uint32_t context_changes;                 // contexts that ended
  std::int32_t card_of_device[kMostDevices];     // card + 2; 0 = not asked yet
};

// Null: there is no memory for it, or the kernel can't clear it for children.
ProcessState* StateOfProcess();
// Null too when nobody has asked for it yet.
ProcessState* KnownState();

}  // namespace aliquot::interposer
