// SPDX-License-Identifier: Apache-2.0
#include "observability/metrics.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <string_view>

#include "base/mutex.h"
#include "observability/build_info.h"
#include "prometheus/counter.h"
#include "prometheus/gauge.h"
#include "prometheus/histogram.h"
#include "prometheus/registry.h"
#include "prometheus/text_serializer.h"

namespace aliquot::observability {
namespace {

using prometheus::Counter;
using prometheus::Gauge;
using prometheus::Histogram;
using Labels = std::map<std::string, std::string>;

// The label values, in the order of the enums in metrics.h.
constexpr std::array kVerbs{"filter", "prioritize", "bind", "preempt",
                            "mutate", "translate",  "stamp"};
constexpr std::array kRequestOutcomes{"ok",       "refused",   "invalid", "unconfirmed",
                                      "deadline", "not_ready", "error"};
constexpr std::array kListeners{"extender", "admission", "monitor", "authenticated"};
constexpr std::array kStatusClasses{"2xx", "3xx", "4xx", "5xx"};
constexpr std::array kReloadOutcomes{"ok", "failed"};
constexpr std::array kApiWrites{"binding", "pod_patch", "pod_condition", "event"};
constexpr std::array kApiOutcomes{"done", "not_found", "conflict", "refused", "unknown"};
constexpr std::array kResources{"pods", "nodes", "poddisruptionbudgets"};
constexpr std::array kStampOutcomes{"done", "no_room", "failed"};
constexpr std::array kRecordProblems{"adopted_by_index", "counted_on_all", "closed_node",
                                     "record_changed", "not_readable"};
constexpr std::array kDegraded{
    "not_synced",        "api_server_unreachable",    "tls_reload_failed",
    "unconfirmed_binds", "signing_key_reload_failed", "certificates_not_kept"};
constexpr std::array kCertificates{"authority", "server", "scheduler"};
constexpr std::array kRotations{"authority", "server", "scheduler", "signing_key"};
constexpr std::array kRotationOutcomes{"ok", "failed"};
constexpr std::array kPodStates{"bound", "reserved", "unstamped"};

constexpr double kBytesPerMebibyte = 1024.0 * 1024.0;

// From 50 us, where a small filter ends, to the 5 s after which kube-scheduler gives up.
const Histogram::BucketBoundaries& LatencyBuckets() {
  static const Histogram::BucketBoundaries buckets{0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025,
                                                   0.005,   0.01,   0.025,   0.05,   0.1,   0.25,
                                                   0.5,     1.0,    2.5,     5.0};
  return buckets;
}

std::string FullName(std::string_view name) { return "aliquot_allocator_" + std::string(name); }

double Seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

template <typename Enum>
constexpr std::size_t Index(Enum value) {
  return static_cast<std::size_t>(value);
}

// Makes families of series in one registry. Only used at construction: nothing is looked up
// afterwards.
class SeriesMaker {
 public:
  explicit SeriesMaker(prometheus::Registry& registry) : registry_(registry) {}

  Counter& OneCounter(std::string_view name, const char* help) {
    return CounterFamily(name, help).Add({});
  }
  Gauge& OneGauge(std::string_view name, const char* help, const Labels& labels = {}) {
    return GaugeFamily(name, help).Add(labels);
  }
  template <std::size_t N>
  std::array<Counter*, N> Counters(std::string_view name, const char* help, const char* label,
                                   const std::array<const char*, N>& values) {
    auto& family = CounterFamily(name, help);
    std::array<Counter*, N> made{};
    for (std::size_t i = 0; i < N; ++i) made[i] = &family.Add({{label, values[i]}});
    return made;
  }
  template <std::size_t N, std::size_t M>
  std::array<std::array<Counter*, M>, N> Table(std::string_view name, const char* help,
                                               const char* row_label,
                                               const std::array<const char*, N>& rows,
                                               const char* column_label,
                                               const std::array<const char*, M>& columns) {
    auto& family = CounterFamily(name, help);
    std::array<std::array<Counter*, M>, N> made{};
    for (std::size_t i = 0; i < N; ++i) {
      for (std::size_t j = 0; j < M; ++j) {
        made[i][j] = &family.Add({{row_label, rows[i]}, {column_label, columns[j]}});
      }
    }
    return made;
  }
  template <std::size_t N>
  std::array<Gauge*, N> Gauges(std::string_view name, const char* help, const char* label,
                               const std::array<const char*, N>& values) {
    auto& family = GaugeFamily(name, help);
    std::array<Gauge*, N> made{};
    for (std::size_t i = 0; i < N; ++i) made[i] = &family.Add({{label, values[i]}});
    return made;
  }
  template <std::size_t N>
  std::array<Histogram*, N> Latencies(std::string_view name, const char* help, const char* label,
                                      const std::array<const char*, N>& values) {
    auto& family = prometheus::BuildHistogram().Name(FullName(name)).Help(help).Register(registry_);
    std::array<Histogram*, N> made{};
    for (std::size_t i = 0; i < N; ++i) {
      made[i] = &family.Add({{label, values[i]}}, LatencyBuckets());
    }
    return made;
  }

 private:
  prometheus::Family<Counter>& CounterFamily(std::string_view name, const char* help) {
    return prometheus::BuildCounter().Name(FullName(name)).Help(help).Register(registry_);
  }
  prometheus::Family<Gauge>& GaugeFamily(std::string_view name, const char* help) {
    return prometheus::BuildGauge().Name(FullName(name)).Help(help).Register(registry_);
  }

  prometheus::Registry& registry_;
};

}  // namespace

struct Metrics::Series {
  prometheus::Registry registry;
  SeriesMaker make{registry};

  std::array<std::array<Counter*, kRequestOutcomes.size()>, kVerbs.size()> requests =
      make.Table("requests_total", "Requests of the scheduler and of admission.", "verb", kVerbs,
                 "outcome", kRequestOutcomes);
  std::array<Histogram*, kVerbs.size()> request_seconds =
      make.Latencies("request_duration_seconds",
                     "Time from a complete request to its answer, by verb.", "verb", kVerbs);
  Counter& filter_cache_hits = make.OneCounter(
      "filter_cache_hits_total", "Filter answers repeated because nothing had changed.");
  Counter& search_cut_short =
      make.OneCounter("search_cut_short_total", "Requests whose exact search ran out of steps.");

  std::array<Gauge*, kListeners.size()> connections =
      make.Gauges("connections", "Open connections.", "listener", kListeners);
  std::array<Counter*, kListeners.size()> connection_failures =
      make.Counters("connection_failures_total",
                    "Connections that ended without an answered request.", "listener", kListeners);
  std::array<std::array<Counter*, kStatusClasses.size()>, kListeners.size()> http_responses =
      make.Table("http_responses_total", "HTTP replies by class of status.", "listener", kListeners,
                 "status", kStatusClasses);
  std::array<std::array<Counter*, kReloadOutcomes.size()>, kListeners.size()> tls_reloads =
      make.Table("tls_reloads_total", "Changed TLS files taken, or refused.", "listener",
                 kListeners, "outcome", kReloadOutcomes);

  std::array<std::array<Counter*, kApiOutcomes.size()>, kApiWrites.size()> api_writes = make.Table(
      "api_writes_total", "Writes to the API server.", "kind", kApiWrites, "outcome", kApiOutcomes);
  std::array<Histogram*, kApiWrites.size()> api_write_seconds = make.Latencies(
      "api_write_duration_seconds", "Time of a write to the API server.", "kind", kApiWrites);
  std::array<Counter*, kStampOutcomes.size()> late_stamps =
      make.Counters("late_stamps_total", "Pods bound by somebody else and stamped after it.",
                    "outcome", kStampOutcomes);
  std::array<Counter*, kRecordProblems.size()> record_problems =
      make.Counters("record_problems_total", "Bound pods without a usable record of their cards.",
                    "kind", kRecordProblems);

  std::array<Gauge*, kResources.size()> watch_lag = make.Gauges(
      "watch_lag_seconds", "Time since the watch last delivered anything.", "resource", kResources);
  std::array<Counter*, kResources.size()> watch_restarts =
      make.Counters("watch_restarts_total", "Watches opened again.", "resource", kResources);
  std::array<Counter*, kResources.size()> watch_relists =
      make.Counters("watch_relists_total", "Full lists read because a watch could not go on.",
                    "resource", kResources);
  // Steady clock, nanoseconds; 0 before the first word.
  std::array<std::atomic<std::int64_t>, kResources.size()> heard{};

  std::array<Gauge*, kDegraded.size()> degraded =
      make.Gauges("degraded", "1 while the state holds.", "state", kDegraded);

  std::array<Gauge*, kCertificates.size()> certificate_ends = make.Gauges(
      "certificate_expiry_seconds", "Unix time at which a certificate that we keep ends.",
      "certificate", kCertificates);

  std::array<std::array<Counter*, kRotationOutcomes.size()>, kRotations.size()> rotations =
      make.Table("rotations_total", "Certificates and keys made anew.", "kind", kRotations,
                 "outcome", kRotationOutcomes);

  Gauge& ledger_nodes = make.OneGauge("ledger_nodes", "Nodes in the ledger.");
  Gauge& ledger_cards = make.OneGauge("ledger_cards", "Cards in the ledger.");
  std::array<Gauge*, kPodStates.size()> ledger_pods =
      make.Gauges("ledger_pods", "Pods in the ledger by state.", "state", kPodStates);
  Gauge& core_capacity = make.OneGauge("ledger_core_capacity_percent",
                                       "Core of all usable cards, in percent of one card.");
  Gauge& core_used =
      make.OneGauge("ledger_core_used_percent", "Core held by pods, in percent of one card.");
  Gauge& memory_capacity =
      make.OneGauge("ledger_memory_capacity_bytes", "Memory of all usable cards.");
  Gauge& memory_used = make.OneGauge("ledger_memory_used_bytes", "Card memory held by pods.");

  Mutex dropped_mutex;  // held from reading the counter to adding to it
  Counter& log_lines_dropped =
      make.OneCounter("log_lines_dropped_total",
                      "Log lines dropped because they could not be written fast enough.");
  Gauge& build_info =
      make.OneGauge("build_info", "Always 1; the labels say what runs.",
                    {{"version", std::string(Version())}, {"commit", std::string(Commit())}});
};

Metrics::Metrics(const Clock& clock) : clock_(clock), series_(std::make_unique<Series>()) {
  series_->build_info.Set(1);
}

Metrics::~Metrics() = default;

void Metrics::CountRequest(Verb verb, RequestOutcome outcome, std::chrono::nanoseconds duration) {
  series_->requests[Index(verb)][Index(outcome)]->Increment();
  series_->request_seconds[Index(verb)]->Observe(Seconds(duration));
}

void Metrics::CountFilterCacheHit() { series_->filter_cache_hits.Increment(); }
void Metrics::CountSearchCutShort() { series_->search_cut_short.Increment(); }

void Metrics::SetConnections(Listener listener, std::size_t open) {
  series_->connections[Index(listener)]->Set(static_cast<double>(open));
}

void Metrics::CountConnectionFailure(Listener listener) {
  series_->connection_failures[Index(listener)]->Increment();
}

void Metrics::CountHttpResponse(Listener listener, int status) {
  const int status_class = std::clamp(status / 100, 2, 5) - 2;
  series_->http_responses[Index(listener)][static_cast<std::size_t>(status_class)]->Increment();
}

void Metrics::CountTlsReload(Listener listener, bool ok) {
  series_->tls_reloads[Index(listener)][ok ? 0 : 1]->Increment();
}

void Metrics::CountApiWrite(ApiWrite kind, ApiOutcome outcome, std::chrono::nanoseconds duration) {
  series_->api_writes[Index(kind)][Index(outcome)]->Increment();
  series_->api_write_seconds[Index(kind)]->Observe(Seconds(duration));
}

void Metrics::CountLateStamp(StampOutcome outcome) {
  series_->late_stamps[Index(outcome)]->Increment();
}

void Metrics::CountRecordProblem(RecordProblem problem) {
  series_->record_problems[Index(problem)]->Increment();
}

void Metrics::WatchHeard(WatchedResource resource) {
  const auto now = clock_.SteadyNow().time_since_epoch();
  series_->heard[Index(resource)].store(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count(), std::memory_order_relaxed);
}

void Metrics::CountWatchRestart(WatchedResource resource) {
  series_->watch_restarts[Index(resource)]->Increment();
}

void Metrics::CountRelist(WatchedResource resource) {
  series_->watch_relists[Index(resource)]->Increment();
}

void Metrics::SetDegraded(Degraded state, bool on) {
  series_->degraded[Index(state)]->Set(on ? 1 : 0);
}

void Metrics::SetCertificateEnd(Certificate certificate, SystemTime end) {
  series_->certificate_ends[Index(certificate)]->Set(Seconds(end.time_since_epoch()));
}

void Metrics::CountRotation(Rotation kind, bool ok) {
  series_->rotations[Index(kind)][ok ? 0 : 1]->Increment();
}

void Metrics::SetLedger(const LedgerFigures& figures) {
  series_->ledger_nodes.Set(static_cast<double>(figures.nodes));
  series_->ledger_cards.Set(static_cast<double>(figures.cards));
  const std::array pods{figures.pods_bound, figures.pods_reserved, figures.pods_unstamped};
  for (std::size_t i = 0; i < pods.size(); ++i) {
    series_->ledger_pods[i]->Set(static_cast<double>(pods[i]));
  }
  series_->core_capacity.Set(static_cast<double>(figures.core_total));
  series_->core_used.Set(static_cast<double>(figures.core_used));
  series_->memory_capacity.Set(static_cast<double>(figures.mib_total) * kBytesPerMebibyte);
  series_->memory_used.Set(static_cast<double>(figures.mib_used) * kBytesPerMebibyte);
}

void Metrics::SetLogLinesDropped(std::uint64_t total) {
  // A counter cannot be set, so what is new is added; the lock keeps two scrapes from adding it
  // twice.
  MutexLock lock(series_->dropped_mutex);
  const double more = static_cast<double>(total) - series_->log_lines_dropped.Value();
  if (more > 0) series_->log_lines_dropped.Increment(more);
}

std::string Metrics::Render() {
  const auto now = clock_.SteadyNow().time_since_epoch();
  for (std::size_t i = 0; i < kResources.size(); ++i) {
    const std::int64_t heard = series_->heard[i].load(std::memory_order_relaxed);
    if (heard == 0) continue;
    series_->watch_lag[i]->Set(Seconds(now - std::chrono::nanoseconds(heard)));
  }
  return prometheus::TextSerializer().Serialize(series_->registry.Collect());
}

}  // namespace aliquot::observability
