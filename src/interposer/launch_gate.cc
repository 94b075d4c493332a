// SPDX-License-Identifier: Apache-2.0
#include "interposer/launch_gate.h"

#include "interposer/pace.h"

namespace aliquot::interposer {
namespace {

// A sample at least for this much work, so that what is done is known finely enough.
constexpr std::uint64_t kMarkEveryNs = kFlightWindowNs / 8;
// While there is work, one sample at least is under way, begun so long after the one before.
constexpr std::uint64_t kSampleEveryNs = 4'000'000;
constexpr std::uint64_t kPrepaidNs = 40'000;
constexpr std::uint64_t kTimeWaitGraceNs = 2'000'000'000;
constexpr std::uint64_t kUnsureWaitNs = 500'000'000;
constexpr std::uint32_t kSureSamples = 2;
constexpr std::uint32_t kSettlingSamples = 4;
// How often to look whether work has ended.
constexpr std::uint64_t kLookEveryNs = 500'000;
// A share that had to wait for others may catch up on that much, for so long.
constexpr std::uint64_t kMostCatchUpNs = 1'000'000'000;
constexpr std::uint64_t kCatchUpHoldsNs = 1'000'000'000;
// A correction that grew by less says nothing about the estimates.
constexpr std::int64_t kTellingNs = 2'000'000;
constexpr std::int64_t kGrossNs = 20'000'000;
constexpr std::int64_t kPeakFalls = 32;
constexpr std::uint64_t kLostSamplePauseNs = 100'000'000;
constexpr std::uint32_t kMostImpatience = 10;  // about 1 ms
constexpr std::uint32_t kMostUnsure = 10;      // more than 8 minutes

template <typename T>
T Load(const T& from) {
  return __atomic_load_n(&from, __ATOMIC_RELAXED);
}

template <typename T>
void Store(T& to, T value) {
  __atomic_store_n(&to, value, __ATOMIC_RELAXED);
}

template <typename T>
void Add(T& to, T value) {
  __atomic_fetch_add(&to, value, __ATOMIC_RELAXED);
}

void Raise(std::uint64_t& word, std::uint64_t to) {
  std::uint64_t was = Load(word);
  while (was < to &&
         !__atomic_compare_exchange_n(&word, &was, to, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

std::uint64_t CreditOf(const LaunchFlight& flight, std::uint64_t now) {
  const std::uint64_t at = Load(flight.waited_at_ns);
  const bool holds = at != 0 && now - at < kCatchUpHoldsNs;
  return kPaceBurstNs + (holds ? Load(flight.waited_for_others_ns) : 0);
}

std::uint64_t AtOnce(const LaunchCost& cost) {
  const std::uint64_t mean = Load(cost.mean_ns);
  if (mean == 0) {
    return kUnknownAtOnce;
  }
  // Few samples may all have been of the short ones among launches of unequal length.
  return kAtOnceNs / mean > kFewAtOnce && Load(cost.samples) >= kSamplesPerWindow ? kAtOnceNs / mean
                                                                                  : kFewAtOnce;
}

bool TooMuchUnfinished(const LaunchFlight& flight, const LaunchCost& cost, std::uint64_t now) {
  if (Load(cost.underway) != 0 && Load(cost.since_sample) >= AtOnce(cost)) {
    return true;
  }
  const std::uint64_t oldest = Load(flight.oldest_ns);
  if (oldest == 0) {
    return false;  // nothing is timed just now, so nothing would tell when to go on
  }
  const std::uint64_t done = Load(flight.done_ns);
  const std::uint64_t issued = Load(flight.issued_ns);
  const std::uint64_t unfinished = issued > done ? issued - done : 0;
  const std::uint64_t patience = unfinished * kFlightPatience > kLeastFlightAgeNs
                                     ? unfinished * kFlightPatience
                                     : kLeastFlightAgeNs;
  return unfinished > kFlightWindowNs || (now > oldest && now - oldest > patience);
}

// Corrections that grow say that launches cost more than they are taken for.
void LearnFromCorrection(LaunchFlight& flight, std::int64_t correction) {
  const std::int64_t was = Load(flight.corrected_ns);
  if (was == correction) {
    return;
  }
  Store(flight.corrected_ns, correction);
  if (correction < was) {
    Add(flight.refunds, 1U);
  }
  const std::int64_t peak = Load(flight.peak_ns);
  std::int64_t above = 0;
  if (__builtin_sub_overflow(correction, peak, &above)) {
    Store(flight.peak_ns, correction);
    return;
  }
  const std::uint32_t spread = Load(flight.spread);
  if (above > kTellingNs) {
    const std::uint32_t step = above > kGrossNs ? kWholeSpread / 2 : 1;
    Store(flight.spread, spread + step < kWholeSpread ? spread + step : kWholeSpread);
    Store(flight.peak_ns, correction);
  } else if (above < -kTellingNs) {
    Store(flight.spread, spread > 0 ? spread - 1 : 0);
    Store(flight.peak_ns, peak + above / kPeakFalls);
  }
}

void Underway(LaunchCost& cost, bool ended) {
  std::uint16_t was = Load(cost.underway);
  if (!ended) {
    Add(cost.underway, std::uint16_t{1});
    return;
  }
  while (was != 0 &&
         !__atomic_compare_exchange_n(&cost.underway, &was, static_cast<std::uint16_t>(was - 1),
                                      false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

// Of what only guides samples and waits, an addition that two threads lose does no harm; a locked
// one would cost more than all the rest.
void Note(LaunchFlight& flight, LaunchCost& cost, std::uint64_t charged) {
  Store(cost.since_sample, Load(cost.since_sample) + 1);
  Store(flight.issued_ns, Load(flight.issued_ns) + charged);
  if (Load(cost.samples) >= kSamplesPerWindow) {
    return;  // the estimate is good, nothing will have to be settled
  }
  if (Load(cost.unsettled) == 0) {
    Store(cost.correction, static_cast<std::uint16_t>(Load(flight.refunds)));
  }
  Add(cost.unsettled, 1U);
  Add(cost.unsettled_ns, charged);
}

}  // namespace

GateResult AskGate(quota::PaceCell& pace, LaunchFlight& flight, LaunchCost& cost,
                   const ShareNow& share, std::uint64_t now_ns, GateQuestion question) {
  LearnFromCorrection(flight, share.correction_ns);
  const std::uint64_t estimate = EstimatedCost(cost, Load(flight.spread));
  if (question == GateQuestion::kWorkAndTime && TooMuchUnfinished(flight, cost, now_ns)) {
    return {GateAnswer::kWaitForWork, kLookEveryNs};
  }
  const std::uint64_t charged = estimate == 0 ? kGuessedCostNs : estimate;
  PaceFollow(pace, share.percent, now_ns);
  PaceCorrect(pace, share.correction_ns, share.percent, now_ns);
  if (share.percent < 100) {
    const std::uint64_t credit = CreditOf(flight, now_ns);
    if (question == GateQuestion::kNothing) {
      PaceCharge(pace, charged, share.percent, now_ns, credit);
      const std::uint32_t unsure = Load(flight.unsure);
      Store(flight.unsure, unsure < kMostUnsure ? unsure + 1 : unsure);
    } else if (const std::uint64_t wait = PaceAdmit(pace, charged, share.percent, now_ns, credit)) {
      return {GateAnswer::kWaitForTime, wait};
    } else if (Load(flight.unsure) != 0) {
      Store(flight.unsure, 0U);
    }
  }
  Note(flight, cost, charged);
  return {GateAnswer::kGo, charged};
}

std::uint64_t Prepay(quota::PaceCell& pace, const LaunchFlight& flight, const ShareNow& share,
                     std::uint64_t charged_ns, std::uint64_t now_ns) {
  if (charged_ns > kPrepaidNs / 2) {
    return 0;
  }
  if (share.percent < 100) {
    PaceCharge(pace, kPrepaidNs, share.percent, now_ns, CreditOf(flight, now_ns));
  }
  return kPrepaidNs;
}

std::uint64_t TakePrepaid(LaunchFlight& flight, LaunchCost& cost, std::uint64_t& prepaid_ns) {
  const std::uint64_t estimate = EstimatedCost(cost, Load(flight.spread));
  if (estimate == 0 || estimate > prepaid_ns || Load(cost.samples) < kSamplesPerWindow) {
    return 0;
  }
  prepaid_ns -= estimate;
  Note(flight, cost, estimate);
  return estimate;
}

void UndoLaunch(quota::PaceCell& pace, LaunchFlight& flight, const ShareNow& share,
                std::uint64_t charged_ns, std::uint64_t now_ns) {
  if (share.percent < 100) {
    PaceAdjust(pace, -static_cast<std::int64_t>(charged_ns), share.percent, now_ns);
  }
  Add(flight.done_ns, charged_ns);
}

bool SampleDue(const LaunchFlight& flight, const LaunchCost& cost, std::uint64_t now_ns) {
  if (Load(cost.underway) == 0 &&
      (now_ns >= Load(cost.due_ns) || Load(cost.since_sample) >= AtOnce(cost) / 2)) {
    return true;
  }
  return Load(flight.issued_ns) - Load(flight.marked_ns) >= kMarkEveryNs ||
         (Load(flight.oldest_ns) == 0 && now_ns - Load(flight.sampled_ns) >= kSampleEveryNs);
}

std::uint64_t SampleTaken(LaunchFlight& flight, LaunchCost& cost, std::uint64_t now_ns) {
  const std::uint64_t mark = Load(flight.issued_ns);
  Store(flight.marked_ns, mark);
  Store(flight.sampled_ns, now_ns);
  Underway(cost, false);
  std::uint64_t none = 0;
  __atomic_compare_exchange_n(&flight.oldest_ns, &none, now_ns, false, __ATOMIC_RELAXED,
                              __ATOMIC_RELAXED);
  return mark;
}

std::int64_t SampleEnded(quota::PaceCell& pace, LaunchFlight& flight, LaunchCost& cost,
                         const ShareNow& share, std::uint64_t mark_ns, std::uint64_t elapsed_ns,
                         std::uint64_t now_ns) {
  Underway(cost, true);
  AddSample(cost, elapsed_ns, now_ns);
  Raise(flight.done_ns, mark_ns);
  const std::uint64_t estimate = EstimatedCost(cost, Load(flight.spread));
  if (elapsed_ns > estimate) {
    const std::uint64_t waited =
        elapsed_ns - estimate < kMostCatchUpNs ? elapsed_ns - estimate : kMostCatchUpNs;
    const bool old = now_ns - Load(flight.waited_at_ns) >= kCatchUpHoldsNs;
    if (old || waited >= Load(flight.waited_for_others_ns)) {
      Store(flight.waited_for_others_ns, waited);
      Store(flight.waited_at_ns, now_ns);
    }
  }
  Store(cost.since_sample, 0U);
  // The first samples may all have waited for others: what was charged by them stays open.
  const std::uint64_t launches = __atomic_exchange_n(&cost.unsettled, 0U, __ATOMIC_RELAXED);
  const std::uint64_t charged =
      __atomic_exchange_n(&cost.unsettled_ns, std::uint64_t{0}, __ATOMIC_RELAXED);
  if (Load(cost.samples) < kSettlingSamples) {
    Add(cost.unsettled, static_cast<std::uint32_t>(launches));
    Add(cost.unsettled_ns, launches * estimate);
  }
  const auto more = static_cast<std::int64_t>(launches * estimate - charged);
  if (more < 0 && Load(cost.correction) != static_cast<std::uint16_t>(Load(flight.refunds))) {
    return 0;  // the agent has given it back already
  }
  if (more != 0 && share.percent < 100) {
    if (more > 0) {
      PaceCharge(pace, static_cast<std::uint64_t>(more), share.percent, now_ns,
                 CreditOf(flight, now_ns));
    } else {
      PaceAdjust(pace, more, share.percent, now_ns);
    }
  }
  if (more > 0) {
    Add(flight.issued_ns, static_cast<std::uint64_t>(more));
  } else {
    Add(flight.done_ns, std::uint64_t{0} - static_cast<std::uint64_t>(more));
  }
  return more;
}

std::int64_t UnknownEnded(quota::PaceCell& pace, LaunchFlight& flight, const ShareNow& share,
                          std::uint64_t mark_ns, std::uint64_t elapsed_ns, std::uint64_t now_ns) {
  const std::uint64_t more = elapsed_ns > kGuessedCostNs ? elapsed_ns - kGuessedCostNs : 0;
  Raise(flight.done_ns, mark_ns);
  Add(flight.done_ns, more);
  Add(flight.issued_ns, more);
  if (more != 0 && share.percent < 100) {
    PaceCharge(pace, more, share.percent, now_ns, CreditOf(flight, now_ns));
  }
  return static_cast<std::int64_t>(more);
}

void SampleMissed(LaunchFlight& flight, LaunchCost& cost, std::uint64_t now_ns) {
  Store(flight.marked_ns, Load(flight.issued_ns));
  Store(flight.sampled_ns, now_ns);
  Store(cost.since_sample, 0U);
  Store(cost.due_ns, now_ns + kLostSamplePauseNs);
}

void SampleLost(LaunchFlight& flight, LaunchCost& cost, std::uint64_t mark_ns,
                std::uint64_t now_ns) {
  Underway(cost, true);
  Raise(flight.done_ns, mark_ns);
  Store(cost.since_sample, 0U);
  Store(cost.unsettled, 0U);
  Store(cost.unsettled_ns, std::uint64_t{0});
  Store(cost.due_ns, now_ns + kLostSamplePauseNs);
}

void SampleAbandoned(LaunchCost& cost) {
  Underway(cost, true);
  Store(cost.since_sample, 0U);
  Store(cost.unsettled, 0U);
  Store(cost.unsettled_ns, std::uint64_t{0});
}

void OldestUnfinished(LaunchFlight& flight, std::uint64_t taken_ns) {
  Store(flight.oldest_ns, taken_ns);
}

std::uint64_t LongestTimeWait(const LaunchFlight& flight, const LaunchCost& cost,
                              std::uint64_t wait_ns) {
  const std::uint64_t longest = kUnsureWaitNs << Load(flight.unsure);
  const bool unsure = Load(cost.samples) < kSureSamples && wait_ns > longest;
  return unsure ? longest : wait_ns + kTimeWaitGraceNs;
}

std::uint64_t LongestFlightWait(const LaunchFlight& flight) {
  return kLongestFlightWaitNs >> Load(flight.impatience);
}

void FlightWaitOver(LaunchFlight& flight, bool in_vain) {
  const std::uint32_t impatience = Load(flight.impatience);
  if (!in_vain) {
    Store(flight.impatience, impatience > 0 ? impatience - 1 : 0);
    return;
  }
  Store(flight.impatience, impatience < kMostImpatience ? impatience + 1 : impatience);
  Store(flight.oldest_ns, std::uint64_t{0});
  Store(flight.done_ns, Load(flight.issued_ns));
}

}  // namespace aliquot::interposer
