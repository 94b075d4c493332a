// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "interposer/share_load.h"

// The container's processes and what they do on a card, for NVML's lists and gauges. Whatever the
// driver says of processes is in the machine's numbers, which may mean nothing in the container's
// process namespace; the usage region has the container's own. Thread-safe, fork-safe. Pre for all:
// Enforced(), 0 <= card < CardCount().

namespace aliquot::interposer {

// How long two looks lie apart at least.
inline constexpr std::uint64_t kShortestLookNs = 250'000'000;

// What the slots whose owners live say now.
void LookAtShare(int card, ShareLook& look);

// The load since this process last asked (at least kShortestLookNs ago; asked sooner, it gives the
// last answer again). The first question waits that long, because there is nothing to compare with.
// `now` is the look that it ended with.
ShareLoad LoadOf(int card, ShareLook& now);

}  // namespace aliquot::interposer
