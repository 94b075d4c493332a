// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "interposer/launch_costs.h"
#include "quota/usage_region.h"

// Whether a launch may go now: the container's time (pace.h), what the launch costs
// (launch_costs.h), and how much of this process's work is unfinished on the card. The last bounds
// what waits in the driver's queues: work queued there can't be called back when the share shrinks.
//
// Pure: time and the outcome of timed launches are passed in. Thread-safe by atomic words; times in
// ns. What is launched never waits for ever: a wait for unfinished work ends after a while, since
// that work may itself wait for this launch (collectives, flags in memory).

namespace aliquot::interposer {

// GPU time launched and not known to be finished past which a process waits.
inline constexpr std::uint64_t kFlightWindowNs = 200'000'000;
// It waits too when the oldest timed launch takes so many times as long as what is unfinished
// should: either others use the card, or the estimates are far too low.
inline constexpr std::uint64_t kFlightPatience = 4;
inline constexpr std::uint64_t kLeastFlightAgeNs = 2'000'000;
// Of one kind of launch so many go for each that is timed: two while its cost is unknown, then as
// many as fill this much time, but for a few. So a wrong estimate is found out before it does harm.
inline constexpr std::uint32_t kUnknownAtOnce = 2;
inline constexpr std::uint32_t kFewAtOnce = 16;
inline constexpr std::uint64_t kAtOnceNs = 4'000'000;
// Longest wait for unfinished work; halved each time that it was waited for in vain.
inline constexpr std::uint64_t kLongestFlightWaitNs = 1'000'000'000;

// One process's work on one card; all zero to begin with.
struct LaunchFlight {
  std::uint64_t issued_ns;             // GPU time charged so far
  std::uint64_t done_ns;               // of it, known to be finished
  std::uint64_t oldest_ns;             // when the oldest unfinished sample was taken; 0 = none
  std::uint64_t marked_ns;             // issued_ns at the newest sample
  std::uint64_t sampled_ns;            // when that was taken
  std::uint64_t waited_for_others_ns;  // by which a sample took longer than it costs
  std::uint64_t waited_at_ns;
  std::uint32_t impatience;   // halvings of kLongestFlightWaitNs
  std::uint32_t spread;       // of samples that is own work: see EstimatedCost
  std::int64_t corrected_ns;  // the last correction that was learnt from
  std::int64_t peak_ns;       // the highest one; falls slowly
  std::uint32_t refunds;      // corrections that gave time back
  std::uint32_t unsure;       // launches that did not wait for all that was owed, since the last
                              // one that found everything paid for
};

struct ShareNow {
  std::uint32_t percent;     // may be used just now
  std::uint32_t guaranteed;  // 100 = never paced
  std::int64_t correction_ns;
};

enum class GateAnswer {
  kGo,           // charged
  kWaitForTime,  // the share is used up
  kWaitForWork,  // too much is unfinished: look whether samples have ended
};

struct GateResult {
  GateAnswer answer;
  std::uint64_t value_ns;  // kGo: GPU time that was charged; else how long to wait at most
};

enum class GateQuestion {
  kWorkAndTime,
  kTime,    // has waited for unfinished work long enough
  kNothing  // has waited for time long enough: goes, and is charged
};

GateResult AskGate(quota::PaceCell& pace, LaunchFlight& flight, LaunchCost& cost,
                   const ShareNow& share, std::uint64_t now_ns, GateQuestion question);
// Small launches are paid for some at once, so that not each has to ask. Returns GPU time that is
// paid for ahead by the thread that was let go with a launch of charged_ns; 0 when that is long.
std::uint64_t Prepay(quota::PaceCell& pace, const LaunchFlight& flight, const ShareNow& share,
                     std::uint64_t charged_ns, std::uint64_t now_ns);
// Lets a launch of a kind that is known well go on what was paid ahead, when that is enough;
// returns what it took of it, or 0.
std::uint64_t TakePrepaid(LaunchFlight& flight, LaunchCost& cost, std::uint64_t& prepaid_ns);
// The driver refused what was charged.
void UndoLaunch(quota::PaceCell& pace, LaunchFlight& flight, const ShareNow& share,
                std::uint64_t charged_ns, std::uint64_t now_ns);

// Whether the launch that was let go should be timed.
bool SampleDue(const LaunchFlight& flight, const LaunchCost& cost, std::uint64_t now_ns);
// It is timed. Returns the mark that its end proves to be done.
std::uint64_t SampleTaken(LaunchFlight& flight, LaunchCost& cost, std::uint64_t now_ns);
// It took that long. What was launched since the sample before is charged anew by what is known
// now; returns the GPU time that this comes to more (or less) than was charged.
std::int64_t SampleEnded(quota::PaceCell& pace, LaunchFlight& flight, LaunchCost& cost,
                         const ShareNow& share, std::uint64_t mark_ns, std::uint64_t elapsed_ns,
                         std::uint64_t now_ns);
// The same when the launch's cost has been forgotten meanwhile: only what was timed is charged.
std::int64_t UnknownEnded(quota::PaceCell& pace, LaunchFlight& flight, const ShareNow& share,
                          std::uint64_t mark_ns, std::uint64_t elapsed_ns, std::uint64_t now_ns);
// It was due and can't be taken; the next try comes later.
void SampleMissed(LaunchFlight& flight, LaunchCost& cost, std::uint64_t now_ns);
// It was taken and has no outcome.
void SampleLost(LaunchFlight& flight, LaunchCost& cost, std::uint64_t mark_ns,
                std::uint64_t now_ns);

// It was taken in a context that has ended.
void SampleAbandoned(LaunchCost& cost);

// After a look at the samples: when the oldest unfinished one was taken that is still waited for; 0
// = none.
void OldestUnfinished(LaunchFlight& flight, std::uint64_t taken_ns);

// How long a launch waits for the share's time at most, as things stand: what is owed now and a
// little more. One whose cost was timed but once does not wait that long, since that once may have
// been wrong; each further one in a row waits twice as long, or a program whose launches are all of
// different shapes would never pay.
std::uint64_t LongestTimeWait(const LaunchFlight& flight, const LaunchCost& cost,
                              std::uint64_t wait_ns);
// How long this process waits for unfinished work at most.
std::uint64_t LongestFlightWait(const LaunchFlight& flight);
// The wait for unfinished work is over; in vain: nothing ended, so nothing is waited for again
// until more was launched.
void FlightWaitOver(LaunchFlight& flight, bool in_vain);

}  // namespace aliquot::interposer
