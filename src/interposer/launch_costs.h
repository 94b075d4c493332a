// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// What one launch costs, by what is launched: a function with its grid, or an executable graph.
// Learnt from launches that were timed on the card. Such a time includes waiting for other
// containers' work, so the estimate lies between the least of the last samples and their mean; how
// far is for the agent's corrections to say, who reads the driver's own figures. Without a word
// from it the least counts: too much would starve the share.
//
// A table of fixed size, all zero to begin with: no allocation, no lock. Thread-safe: words are
// atomic, and what two threads do to one entry at once costs a sample at most. Times in ns.

namespace aliquot::interposer {

inline constexpr std::size_t kLaunchCosts = 2048;  // a power of two
// What a launch is taken for before one like it was timed; it is settled then.
inline constexpr std::uint64_t kGuessedCostNs = 5'000;
// Samples of which the least counts; those of the window before count too.
inline constexpr std::uint32_t kSamplesPerWindow = 16;

struct LaunchCost {
  std::uint64_t key;              // 0 = unused
  std::uint64_t least_ns;         // of this window; 0 = none
  std::uint64_t former_least_ns;  // of the window before; 0 = none
  std::uint64_t due_ns;           // when to take the next sample
  std::uint32_t samples;          // that ended
  std::uint32_t since_sample;     // launches since the last sample ended
  std::uint16_t underway;         // samples that have not ended
  std::uint16_t correction;       // as of which launches are unsettled: LaunchFlight::refunds
  std::uint32_t unsettled;        // launches whose charge may still be put right
  std::uint64_t unsettled_ns;     // what those were charged
  std::uint64_t mean_ns;          // of the last samples; older ones fade
};
static_assert(sizeof(LaunchCost) == 64);

struct LaunchCosts {
  LaunchCost entry[kLaunchCosts];
};

// A key of these words; never 0.
std::uint64_t LaunchKeyOf(const std::uint64_t* words, std::size_t count);

// The entry of a key; a full neighbourhood gives up the entry that `key` picks.
LaunchCost& FindCost(LaunchCosts& costs, std::uint64_t key);

// `spread`: 0 = the least of the samples, kWholeSpread = their mean. 0 = none was timed yet.
inline constexpr std::uint32_t kWholeSpread = 8;
std::uint64_t EstimatedCost(const LaunchCost& cost, std::uint32_t spread);

// One more sample took `elapsed_ns`; the next one is due later the more there were.
void AddSample(LaunchCost& cost, std::uint64_t elapsed_ns, std::uint64_t now_ns);

}  // namespace aliquot::interposer
