// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/grant/refusal.h"
#include "model/cluster.h"
#include "prometheus/metric_family.h"

namespace aliquot::agent {

// States in which the agent serves less than all; while one holds its gauge is 1 and a warning is
// in the log.
enum class AgentDegraded {
  kNoDriver,       // no GPU can be seen
  kNotSynced,      // the pods of this node are not known
  kNotRegistered,  // the kubelet has not taken our resources
  kOwnedByOther,   // another device plugin owns the cards
  kNoDelivery,     // no driver libraries to hand over
  kNoEnforcement,  // no enforcement library: shares are not held
  kNoWatchdog,     // processes of containers can't be seen
};
inline constexpr std::size_t kAgentDegradedStates = 7;

enum class AgentWrite { kNodePatch, kEvent };

// The agent's own counters, aliquot_agent_*: docs/reference/agent-metrics.md. Thread-safe. Every
// series is there, at 0, from the first scrape on; those of a resource once the kubelet was looked
// for or devices were offered, those of an XID once it was seen.
class AgentMetrics {
 public:
  AgentMetrics();
  ~AgentMetrics();
  AgentMetrics(const AgentMetrics&) = delete;
  AgentMetrics& operator=(const AgentMetrics&) = delete;

  void CountAllocate(bool ok, std::chrono::nanoseconds took);
  void CountGranted(std::chrono::nanoseconds took);
  void CountRefused(RefusalReason reason, std::chrono::nanoseconds took);
  void CountRemoved(std::size_t grants);
  void CountDamaged(std::size_t files);
  void CountWrite(AgentWrite kind, model::WriteOutcome outcome);
  void CountWatchRestart(std::string_view resource);
  // Processes that were ended because their share does not hold them; `verdict` is a word of
  // enforcement/verdict.h.
  // A request to the authenticated listener, by its HTTP status.
  void CountPage(int status);
  void CountEnded(std::string_view verdict, std::size_t processes);
  void CountXid(const std::string& uuid, std::uint64_t code);
  void SetRegistered(std::string_view resource, bool on);
  // `total`: since the start. From one thread.
  void SetRegistrations(std::string_view resource, std::size_t total);
  void SetDevices(std::string_view resource, std::size_t healthy, std::size_t unhealthy);
  void SetDegraded(AgentDegraded state, bool on);
  bool degraded(AgentDegraded state) const;

  std::vector<prometheus::MetricFamily> Collect() const;

 private:
  struct Series;
  std::unique_ptr<Series> series_;
};

// "no_driver", ...
std::string_view AgentDegradedName(AgentDegraded state);

}  // namespace aliquot::agent
