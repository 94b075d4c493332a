// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/pod.h"
#include "quota/usage_region.h"

namespace aliquot::agent {

// One reading of what this node's cards and shares hold and use. Plain values; metrics and pages
// are made of it.

struct CardReading {
  std::string uuid;
  int minor = 0;
  std::string model;
  std::string pci;
  std::string health;  // "ok" or one word
  std::string mode;    // "" or why it is not ours to share
  // Of live grants.
  int granted_core = 0;
  std::int64_t granted_mib = 0;
  int shares = 0;
  // The driver's; nothing where it does not say.
  std::int64_t total_mib = 0;
  std::optional<std::int64_t> used_mib;
  std::optional<int> gpu_percent;
  std::optional<int> memory_percent;
  std::optional<int> temperature_celsius;
  std::optional<std::int64_t> power_milliwatts;
  // MiB of processes that belong to no share that was granted.
  std::int64_t stranger_mib = 0;
  int strangers = 0;
};

// What the agent has found and given of one card of one container that the library holds.
struct ShareEnforcement {
  int core_now = 0;  // percent; 0 = the guaranteed share
  std::uint64_t overhead_bytes = 0;
  std::int64_t busy_correction_ns = 0;
  std::vector<std::string> verdicts;  // words of what it is not held by
};

// What one container has done on one card since the agent first looked: share_counters.h.
struct ShareCounts {
  std::uint64_t busy_ns = 0;
  std::uint64_t launches = 0;
  std::uint64_t throttled_ns = 0;
  std::uint64_t denied = 0;  // allocations
};

// One card of one container.
struct ShareReading {
  model::PodKey pod;
  std::string pod_uid;
  std::string container;
  std::string uuid;
  int minor = 0;
  int core = 0;
  std::int64_t mib = 0;
  int ceiling = 0;          // percent; 0 = none asked
  std::string isolation;    // as asked
  std::string enforcement;  // what holds it to its share: "library", "driver", "none", "whole" for
                            // a card of its own, "unenforced" where it is not held after all
  // By the driver's list of processes; nothing where it gives none.
  std::optional<std::int64_t> used_mib;
  std::optional<int> sm_percent;
  int processes = 0;
  // By the agent's own looks; nothing of shares that the library does not hold.
  std::optional<ShareEnforcement> held;
  // By the enforcement library; nothing while no library is there or its file can't be read.
  std::optional<quota::CardUsage> charged;  // of its living processes
  std::optional<ShareCounts> counted;       // of those that have ended, too
};

struct NodeFigures {
  std::string node;
  std::vector<CardReading> cards;    // by minor number
  std::vector<ShareReading> shares;  // by namespace, pod, container, card
};

}  // namespace aliquot::agent
