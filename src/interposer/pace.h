// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "quota/usage_region.h"

// When the next launch of a container may go to a card: a leaky bucket kept as one time, `ready_ns`
// (the generic cell rate algorithm, ITU-T I.371). Every launch moves it on by its GPU time divided
// by the share, and a launch waits until it has passed. One word, so every process of the container
// shares it by compare-exchange, and a process that is killed leaves it whole.
//
// Pure: the time is passed in (ns of CLOCK_MONOTONIC), costs are GPU time in ns, shares are percent
// of a card, 1..100. Thread-safe and process-safe. Every number in the cell is a stranger's: what
// it can do to us is bounded here.

namespace aliquot::interposer {

// A share that did not launch for a while may catch up on this much wall time, so that a thread
// that was not scheduled in time, or a sleep that took longer, costs nothing.
inline constexpr std::uint64_t kPaceBurstNs = 100'000'000;
// Nothing makes a container wait for longer than this, whatever the words in the cell say.
inline constexpr std::uint64_t kLongestDebtNs = 600'000'000'000;
// A correction alone leaves at most this much to wait for.
inline constexpr std::uint64_t kLongestCorrectionDebtNs = 10'000'000'000;

// What was charged too much is given back up to this much GPU time.
inline constexpr std::uint64_t kLargestRefundNs = 2'000'000'000;

// Wall time that a share needs for that much GPU time; stops at kLongestDebtNs.
std::uint64_t WallTimeOf(std::uint64_t gpu_ns, std::uint32_t percent);

// How long until a launch may go; 0 = now.
std::uint64_t PaceWait(const quota::PaceCell& cell, std::uint64_t now_ns);

// Admits one launch and charges it, or returns how long to wait before the next try. `credit_ns`:
// wall time to catch up on at most, kPaceBurstNs or more. What is charged here and not run is given
// back by PaceAdjust.
std::uint64_t PaceAdmit(quota::PaceCell& cell, std::uint64_t gpu_ns, std::uint32_t percent,
                        std::uint64_t now_ns, std::uint64_t credit_ns);
// As PaceAdmit, but does not ask: for what has waited long enough, or must not wait.
void PaceCharge(quota::PaceCell& cell, std::uint64_t gpu_ns, std::uint32_t percent,
                std::uint64_t now_ns, std::uint64_t credit_ns);
// What was charged before turned out to be more (positive) or less GPU time. Less is given back in
// full: first off what is owed, then by launches that cost nothing.
void PaceAdjust(quota::PaceCell& cell, std::int64_t gpu_ns, std::uint32_t percent,
                std::uint64_t now_ns);

// The cumulative correction now is `correction_ns`: the one process that finds it new applies what
// it has grown by. False when it was not new.
bool PaceCorrect(quota::PaceCell& cell, std::int64_t correction_ns, std::uint32_t percent,
                 std::uint64_t now_ns);
// The share now is `percent`: the one process that finds it new turns what is still owed into wall
// time of the new share. False when it was not new.
bool PaceFollow(quota::PaceCell& cell, std::uint32_t percent, std::uint64_t now_ns);

}  // namespace aliquot::interposer
