// SPDX-License-Identifier: Apache-2.0
#include "agent/usage/agent_metrics.h"

#include <array>

#include "observability/build_info.h"
#include "prometheus/counter.h"
#include "prometheus/gauge.h"
#include "prometheus/histogram.h"
#include "prometheus/registry.h"

namespace aliquot::agent {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;

constexpr std::array<std::string_view, kAgentDegradedStates> kDegraded{
    "no_driver",   "not_synced",     "not_registered", "owned_by_other",
    "no_delivery", "no_enforcement", "no_watchdog"};
// The verdicts for which processes are ended, as enforcement/verdict.h names them.
constexpr std::array<const char*, 4> kEnding{"no_library", "wrong_library", "over_memory",
                                             "usage_damaged"};
constexpr std::array<const char*, 2> kWrites{"node_patch", "event"};
constexpr std::array<const char*, 5> kOutcomes{"done", "not_found", "conflict", "refused",
                                               "unknown"};

// From 50 us, an answer from memory, to the 30 s that the kubelet waits.
const Histogram::BucketBoundaries& Buckets() {
  static const Histogram::BucketBoundaries buckets{0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025,
                                                   0.005,   0.01,   0.02,    0.05,   0.1,   0.25,
                                                   1.0,     2.5,    10.0,    30.0};
  return buckets;
}

double Seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

Family<Counter>& Counters(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}
Family<Gauge>& Gauges(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
}
Histogram& OneHistogram(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry).Add({}, Buckets());
}

std::string OutcomeLabel(model::WriteOutcome outcome) {
  return kOutcomes.at(static_cast<std::size_t>(outcome));
}

}  // namespace

struct AgentMetrics::Series {
  prometheus::Registry registry;
  Family<Counter>& allocates = Counters(registry, "aliquot_agent_allocations_total",
                                        "Calls of Allocate by the kubelet, by outcome.");
  Histogram& allocate_seconds =
      OneHistogram(registry, "aliquot_agent_allocate_duration_seconds", "Time to answer Allocate.");
  Counter& granted =
      Counters(registry, "aliquot_agent_grants_total", "Containers that were given their cards.")
          .Add({});
  Family<Counter>& refused =
      Counters(registry, "aliquot_agent_refusals_total", "Container starts refused, by reason.");
  Histogram& start_seconds = OneHistogram(registry, "aliquot_agent_prestart_duration_seconds",
                                          "Time to answer PreStartContainer, refusals included.");
  Counter& removed =
      Counters(registry, "aliquot_agent_grants_removed_total", "Grants of pods that are gone.")
          .Add({});
  Counter& damaged = Counters(registry, "aliquot_agent_damaged_files_total",
                              "Files of grants that were set aside because they are damaged.")
                         .Add({});
  Family<Counter>& writes =
      Counters(registry, "aliquot_agent_api_writes_total", "Writes to the API server, by kind.");
  Family<Counter>& restarts = Counters(registry, "aliquot_agent_watch_restarts_total",
                                       "Watches that had to be begun again.");
  Family<Counter>& ended =
      Counters(registry, "aliquot_agent_processes_ended_total",
               "Processes ended because their share does not hold them, by reason.");
  Family<Counter>& xids = Counters(registry, "aliquot_agent_xids_total",
                                   "XID errors that the driver told, by card and code.");
  Family<Counter>& pages = Counters(registry, "aliquot_agent_page_requests_total",
                                    "Requests to the authenticated listener, by HTTP status.");
  Family<Gauge>& registered = Gauges(registry, "aliquot_agent_registered",
                                     "1 while the kubelet listens to the resource's devices.");
  Family<Counter>& registrations = Counters(registry, "aliquot_agent_registrations_total",
                                            "Times the resource was registered with the kubelet.");
  Family<Gauge>& devices =
      Gauges(registry, "aliquot_agent_devices", "Devices advertised to the kubelet, by health.");
  Family<Gauge>& degraded_family =
      Gauges(registry, "aliquot_agent_degraded", "1 while the agent serves less than all.");
  std::array<Gauge*, kAgentDegradedStates> degraded{};

  Series() {
    allocates.Add({{"outcome", "ok"}});
    allocates.Add({{"outcome", "error"}});
    for (const RefusalReason reason : kAllRefusalReasons) {
      refused.Add({{"reason", std::string(RefusalName(reason))}});
    }
    for (const char* kind : kWrites) {
      for (const char* outcome : kOutcomes) {
        writes.Add({{"kind", kind}, {"outcome", outcome}});
      }
    }
    for (const char* code : {"200", "401", "403", "429", "503"}) {
      pages.Add({{"code", code}});
    }
    for (const char* resource : {"nodes", "pods"}) {
      restarts.Add({{"resource", resource}});
    }
    for (const char* reason : kEnding) {
      ended.Add({{"reason", reason}});
    }
    for (std::size_t i = 0; i < kDegraded.size(); ++i) {
      degraded.at(i) = &degraded_family.Add({{"state", std::string(kDegraded.at(i))}});
    }
    Gauges(registry, "aliquot_agent_build_info", "Always 1; version and commit of the program.")
        .Add({{"commit", std::string(observability::Commit())},
              {"version", std::string(observability::Version())}})
        .Set(1);
  }
};

AgentMetrics::AgentMetrics() : series_(std::make_unique<Series>()) {}
AgentMetrics::~AgentMetrics() = default;

void AgentMetrics::CountAllocate(bool ok, std::chrono::nanoseconds took) {
  series_->allocates.Add({{"outcome", ok ? "ok" : "error"}}).Increment();
  series_->allocate_seconds.Observe(Seconds(took));
}

void AgentMetrics::CountGranted(std::chrono::nanoseconds took) {
  series_->granted.Increment();
  series_->start_seconds.Observe(Seconds(took));
}

void AgentMetrics::CountRefused(RefusalReason reason, std::chrono::nanoseconds took) {
  series_->refused.Add({{"reason", std::string(RefusalName(reason))}}).Increment();
  series_->start_seconds.Observe(Seconds(took));
}

void AgentMetrics::CountRemoved(std::size_t grants) {
  series_->removed.Increment(static_cast<double>(grants));
}

void AgentMetrics::CountDamaged(std::size_t files) {
  series_->damaged.Increment(static_cast<double>(files));
}

void AgentMetrics::CountWrite(AgentWrite kind, model::WriteOutcome outcome) {
  series_->writes
      .Add({{"kind", kWrites.at(static_cast<std::size_t>(kind))},
            {"outcome", OutcomeLabel(outcome)}})
      .Increment();
}

void AgentMetrics::CountWatchRestart(std::string_view resource) {
  series_->restarts.Add({{"resource", std::string(resource)}}).Increment();
}

void AgentMetrics::CountPage(int status) {
  series_->pages.Add({{"code", std::to_string(status)}}).Increment();
}

void AgentMetrics::CountEnded(std::string_view verdict, std::size_t processes) {
  if (processes != 0) {
    series_->ended.Add({{"reason", std::string(verdict)}})
        .Increment(static_cast<double>(processes));
  }
}

void AgentMetrics::CountXid(const std::string& uuid, std::uint64_t code) {
  series_->xids.Add({{"UUID", uuid}, {"xid", std::to_string(code)}}).Increment();
}

void AgentMetrics::SetRegistered(std::string_view resource, bool on) {
  series_->registered.Add({{"resource", std::string(resource)}}).Set(on ? 1 : 0);
}

void AgentMetrics::SetRegistrations(std::string_view resource, std::size_t total) {
  Counter& counter = series_->registrations.Add({{"resource", std::string(resource)}});
  counter.Increment(static_cast<double>(total) - counter.Value());
}

void AgentMetrics::SetDevices(std::string_view resource, std::size_t healthy,
                              std::size_t unhealthy) {
  series_->devices.Add({{"health", "healthy"}, {"resource", std::string(resource)}})
      .Set(static_cast<double>(healthy));
  series_->devices.Add({{"health", "unhealthy"}, {"resource", std::string(resource)}})
      .Set(static_cast<double>(unhealthy));
}

void AgentMetrics::SetDegraded(AgentDegraded state, bool on) {
  series_->degraded.at(static_cast<std::size_t>(state))->Set(on ? 1 : 0);
}

bool AgentMetrics::degraded(AgentDegraded state) const {
  return series_->degraded.at(static_cast<std::size_t>(state))->Value() != 0;
}

std::vector<prometheus::MetricFamily> AgentMetrics::Collect() const {
  return series_->registry.Collect();
}

std::string_view AgentDegradedName(AgentDegraded state) {
  return kDegraded.at(static_cast<std::size_t>(state));
}

}  // namespace aliquot::agent
