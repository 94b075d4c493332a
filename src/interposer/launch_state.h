// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "interposer/cuda_launch_types.h"
#include "interposer/launch_costs.h"
#include "interposer/launch_gate.h"
#include "quota/limits_record.h"

// What this process knows of its own launches, in one mapping that a child of a fork finds zeroed:
// CUDA's contexts and events do not survive a fork either. Thread-safe by atomic words; no lock.

namespace aliquot::interposer {

inline constexpr std::size_t kSamplesPerContext = 16;
inline constexpr std::size_t kSampledContexts = 32;  // launches of further ones are not timed

// Numbers and no enumeration, since clang's atomics take none.
struct SampleStep {
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kTaking = 1;
  static constexpr std::uint32_t kUnderway = 2;
  static constexpr std::uint32_t kLooking = 3;
};

// One launch between two events of the driver.
struct LaunchSample {
  std::uint32_t step;     // a SampleStep
  std::uint32_t overdue;  // waited for in vain
  CUevent before;
  CUevent after;
  LaunchCost* cost;
  std::uint64_t key;  // of the cost when it was taken; the entry may be given to another key
  std::uint64_t mark_ns;
  std::uint64_t taken_ns;
};

// The events of one context; they end with it.
struct SamplePool {
  CUcontext context;  // null = unused
  std::int32_t device;
  std::uint32_t faults;  // the driver's refusals; with several the context is timed no more
  LaunchSample sample[kSamplesPerContext];
};

struct LaunchState {
  std::uint32_t in_use;    // 0 in a child: what its thread kept is the parent's
  std::uint32_t captures;  // of streams, by this process, under way
  std::uint32_t one_card;  // 1: CUDA shows one device, the container's one card; 2: not so
  LaunchFlight flight[quota::kMaxCards];
  std::uint64_t looked_ns[quota::kMaxCards];  // when samples were looked at
  SamplePool pool[kSampledContexts];
  LaunchCosts costs;
};

// Null only when the kernel has no memory: then nothing is timed or paced.
LaunchState* OwnLaunchState();

}  // namespace aliquot::interposer
