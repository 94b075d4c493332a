// SPDX-License-Identifier: Apache-2.0
#include "agent/enforcement/time_correction.h"

#include <algorithm>

namespace aliquot::agent {
namespace {

constexpr std::int64_t kHour = 3'600'000'000'000;

std::int64_t Bounded(std::uint64_t ns) {
  return static_cast<std::int64_t>(std::min(ns, static_cast<std::uint64_t>(kHour)));
}

}  // namespace

TimeCorrection::TimeCorrection(std::int64_t carried)
    : least_(carried), most_(carried), drift_(carried) {
  last_.fill(carried);
}

std::int64_t TimeCorrection::Claimed(const quota::UsageRegion& usage, std::size_t card,
                                     bool& ended) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const Slot now{usage.slot[i].generation, usage.slot[i].card[card].busy_ns};
    Slot& before = slots_[i];
    if (now.generation != before.generation) {
      ended = ended || before.busy_ns != 0;
      sum += Bounded(now.busy_ns);
    } else if (now.busy_ns >= before.busy_ns) {
      sum += Bounded(now.busy_ns - before.busy_ns);
    } else {  // launches turned out to be cheaper than they were charged
      sum -= Bounded(before.busy_ns - now.busy_ns);
    }
    before = now;
  }
  return std::clamp(sum, -kHour, kHour);
}

void TimeCorrection::Look(const quota::UsageRegion& usage, std::size_t card,
                          const std::optional<DriverTime>& driver, bool ended) {
  const std::int64_t claimed = Claimed(usage, card, ended);
  if (!counting_) {
    counting_ = true;
    return;
  }
  if (!driver) {
    return;
  }
  std::int64_t ran = Bounded(driver->ns);
  std::int64_t may_have_run = ran + Bounded(driver->rounding_ns);
  if (ended) {
    ran = std::max(ran, claimed);
    may_have_run = std::max(may_have_run, claimed);
  }
  const std::int64_t floor = ns() - kLongestAhead;
  least_ = std::max(least_ + ran - claimed, floor);
  most_ = std::clamp(most_ + may_have_run - claimed, least_, least_ + kMostRounding);
  drift_ = std::clamp(drift_, least_, most_);
  last_[next_] = drift_;
  next_ = (next_ + 1) % kLooks;
}

std::int64_t TimeCorrection::ns() const { return *std::max_element(last_.begin(), last_.end()); }

}  // namespace aliquot::agent
