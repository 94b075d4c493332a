// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "interposer/launch_gate.h"
#include "quota/usage_region.h"

// A card that several containers launch on, in simulated time: the containers keep to the rules
// under test, the card runs one kernel at a time, to its end, in turn between the containers.

namespace aliquot::interposer {

struct SimulatedShare {
  std::function<std::uint32_t(std::uint64_t now)> percent;
  std::function<std::uint64_t(std::uint64_t now)> next_kernel_ns;  // 0 = nothing to launch yet
  bool waits_for_each = false;  // synchronises after every launch
  bool corrected = true;        // the agent compares what is measured with what ran
  std::uint32_t guaranteed = 1;

  std::uint64_t RunNs() const { return run_ns; }

  // What the simulation keeps of it.
  struct Kernel {
    std::uint64_t length_ns;
    bool timed;
    std::uint64_t mark;
    std::uint64_t queued_ns;
    LaunchCost* cost;
  };
  struct Sample {
    std::uint64_t taken_ns;
    std::uint64_t mark;
    std::uint64_t elapsed_ns;  // 0 = unfinished
    LaunchCost* cost;
    bool overdue = false;
  };
  quota::PaceCell pace{};
  LaunchFlight flight{};
  std::unique_ptr<LaunchCosts> costs = std::make_unique<LaunchCosts>();
  std::deque<Kernel> queue;
  std::deque<Sample> samples;
  std::uint64_t run_ns = 0;
  std::uint64_t busy_ns = 0;
  std::uint64_t launches = 0;
  std::uint64_t stream_reached_ns = 0;
  std::uint64_t acts_at_ns = 0;
  std::uint64_t waits_since_ns = 0;
  std::uint64_t may_wait_ns = 0;
  std::uint64_t pending_length_ns = 0;
  std::int64_t correction_ns = 0;
  std::vector<std::int64_t> drift;
};

class SimulatedCard {
 public:
  explicit SimulatedCard(std::vector<SimulatedShare>& shares) : shares_(shares) {}

  // Runs until that time.
  void RunUntil(std::uint64_t end_ns);
  // GPU time of a share so far, its running kernel's part included.
  std::uint64_t RunNs(std::size_t share) const;
  std::uint64_t now() const { return now_; }

 private:
  void Act(std::size_t index);
  void LookAtSamples(SimulatedShare& share);
  void StartNext();
  void Finish();
  void AgentLooks();

  std::vector<SimulatedShare>& shares_;
  std::uint64_t now_ = 1'000'000'000;  // CLOCK_MONOTONIC is never near 0
  std::size_t running_ = ~std::size_t{0};
  std::uint64_t running_since_ = 0;
  std::uint64_t running_until_ = ~std::uint64_t{0};
  std::size_t last_ = 0;
  std::uint64_t agent_at_ = 0;
};

}  // namespace aliquot::interposer
