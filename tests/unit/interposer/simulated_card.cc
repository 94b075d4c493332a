// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/interposer/simulated_card.h"

#include <algorithm>

namespace aliquot::interposer {
namespace {

constexpr std::uint64_t kNever = ~std::uint64_t{0};
constexpr std::uint64_t kHostNs = 2'000;           // a launch takes the host that long
constexpr std::uint64_t kSleepsLongerNs = 60'000;  // a sleep ends late by that much
constexpr std::size_t kQueueDepth = 1024;
constexpr std::uint64_t kAgentEveryNs = 200'000'000;
constexpr std::size_t kLooksRemembered = 5;

}  // namespace

std::uint64_t SimulatedCard::RunNs(std::size_t share) const {
  return shares_[share].run_ns + (running_ == share ? now_ - running_since_ : 0);
}

void SimulatedCard::LookAtSamples(SimulatedShare& share) {
  const ShareNow rule{share.percent(now_), share.guaranteed, share.correction_ns};
  while (!share.samples.empty() && share.samples.front().elapsed_ns != 0) {
    const SimulatedShare::Sample& sample = share.samples.front();
    share.busy_ns += static_cast<std::uint64_t>(SampleEnded(
        share.pace, share.flight, *sample.cost, rule, sample.mark, sample.elapsed_ns, now_));
    share.samples.pop_front();
  }
  std::uint64_t oldest = 0;
  for (const SimulatedShare::Sample& sample : share.samples) {
    if (!sample.overdue) {
      oldest = sample.taken_ns;
      break;
    }
  }
  OldestUnfinished(share.flight, oldest);
}

void SimulatedCard::Act(std::size_t index) {
  SimulatedShare& share = shares_[index];
  if (share.pending_length_ns == 0) {
    share.pending_length_ns = share.next_kernel_ns(now_);
    share.waits_since_ns = now_;
    share.may_wait_ns = 0;
  }
  if (share.pending_length_ns == 0) {
    share.acts_at_ns = now_ + 1'000'000;
    return;
  }
  if (share.queue.size() >= kQueueDepth) {
    share.acts_at_ns = now_ + 10'000;
    return;
  }
  LookAtSamples(share);
  // Kernels of one function: their lengths differ with their arguments.
  const std::uint64_t word = index + 1;
  LaunchCost& cost = FindCost(*share.costs, LaunchKeyOf(&word, 1));
  const ShareNow rule{share.percent(now_), share.guaranteed, share.correction_ns};
  GateResult result =
      AskGate(share.pace, share.flight, cost, rule, now_, GateQuestion::kWorkAndTime);
  const std::uint64_t waited = now_ - share.waits_since_ns;
  if (result.answer == GateAnswer::kWaitForWork && waited > LongestFlightWait(share.flight)) {
    FlightWaitOver(share.flight, true);
    for (SimulatedShare::Sample& sample : share.samples) {
      sample.overdue = true;
    }
    result = AskGate(share.pace, share.flight, cost, rule, now_, GateQuestion::kTime);
  }
  if (result.answer == GateAnswer::kWaitForTime) {
    if (share.may_wait_ns == 0) {
      share.may_wait_ns = LongestTimeWait(share.flight, cost, result.value_ns);
    }
    if (waited > share.may_wait_ns) {
      result = AskGate(share.pace, share.flight, cost, rule, now_, GateQuestion::kNothing);
    }
  }
  if (result.answer != GateAnswer::kGo) {
    share.acts_at_ns =
        now_ + std::min<std::uint64_t>(result.value_ns, 10'000'000) + kSleepsLongerNs;
    return;
  }
  SimulatedShare::Kernel kernel{share.pending_length_ns, false, 0, now_, &cost};
  share.busy_ns += result.value_ns;
  ++share.launches;
  if (SampleDue(share.flight, cost, now_)) {
    kernel.timed = true;
    kernel.mark = SampleTaken(share.flight, cost, now_);
    share.samples.push_back({now_, kernel.mark, 0, &cost});
  }
  if (share.queue.empty()) {
    share.stream_reached_ns = now_;
  }
  share.queue.push_back(kernel);
  share.pending_length_ns = 0;
  share.acts_at_ns = share.waits_for_each ? kNever : now_ + kHostNs;
}

void SimulatedCard::StartNext() {
  for (std::size_t i = 1; i <= shares_.size(); ++i) {
    const std::size_t index = (last_ + i) % shares_.size();
    if (!shares_[index].queue.empty()) {
      running_ = index;
      last_ = index;
      running_since_ = now_;
      running_until_ = now_ + shares_[index].queue.front().length_ns;
      return;
    }
  }
}

void SimulatedCard::Finish() {
  SimulatedShare& share = shares_[running_];
  const SimulatedShare::Kernel kernel = share.queue.front();
  share.queue.pop_front();
  share.run_ns += kernel.length_ns;
  if (kernel.timed) {
    for (SimulatedShare::Sample& sample : share.samples) {
      if (sample.elapsed_ns == 0) {
        sample.elapsed_ns = now_ - share.stream_reached_ns;
        break;
      }
    }
  }
  share.stream_reached_ns = now_;
  if (share.waits_for_each) {
    share.acts_at_ns = now_ + kHostNs;
  }
  running_ = ~std::size_t{0};
  running_until_ = kNever;
}

void SimulatedCard::AgentLooks() {
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    SimulatedShare& share = shares_[i];
    if (!share.corrected) {
      continue;
    }
    share.drift.push_back(static_cast<std::int64_t>(RunNs(i)) -
                          static_cast<std::int64_t>(share.busy_ns));
    const std::size_t from =
        share.drift.size() > kLooksRemembered ? share.drift.size() - kLooksRemembered : 0;
    share.correction_ns = *std::max_element(share.drift.begin() + static_cast<std::ptrdiff_t>(from),
                                            share.drift.end());
  }
  agent_at_ = now_ + kAgentEveryNs;
}

void SimulatedCard::RunUntil(std::uint64_t end_ns) {
  while (true) {
    std::uint64_t next = std::min(running_until_, agent_at_);
    for (const SimulatedShare& share : shares_) {
      next = std::min(next, share.acts_at_ns);
    }
    if (next >= end_ns) {
      now_ = end_ns;
      return;
    }
    now_ = std::max(now_, next);
    if (running_until_ <= now_) {
      Finish();
    }
    if (agent_at_ <= now_) {
      AgentLooks();
    }
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      if (shares_[i].acts_at_ns <= now_) {
        Act(i);
      }
    }
    if (running_ == ~std::size_t{0}) {
      StartNext();
    }
  }
}

}  // namespace aliquot::interposer
