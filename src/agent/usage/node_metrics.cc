// SPDX-License-Identifier: Apache-2.0
#include "agent/usage/node_metrics.h"

#include <string>
#include <utility>

namespace aliquot::agent {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

constexpr double kBytesPerMebibyte = 1024.0 * 1024.0;
constexpr double kNanosecondsPerSecond = 1e9;

// One metric: a name, and a value for each card or share that has one.
class Family {
 public:
  Family(std::string name, std::string help, MetricType type = MetricType::Gauge) {
    family_.name = std::move(name);
    family_.help = std::move(help);
    family_.type = type;
  }

  void Add(Labels labels, double value) {
    ClientMetric metric;
    metric.label = std::move(labels);
    if (family_.type == MetricType::Counter) {
      metric.counter.value = value;
    } else {
      metric.gauge.value = value;
    }
    family_.metric.push_back(std::move(metric));
  }
  template <typename T>
  void AddKnown(const Labels& labels, const std::optional<T>& value, double scale = 1) {
    if (value) {
      Add(labels, static_cast<double>(*value) * scale);
    }
  }
  MetricFamily Take() { return std::move(family_); }

 private:
  MetricFamily family_;
};

Labels CardLabels(const NodeFigures& figures, const CardReading& card) {
  return {{"Hostname", figures.node}, {"UUID", card.uuid}, {"gpu", std::to_string(card.minor)}};
}

Labels ShareLabels(const NodeFigures& figures, const ShareReading& share) {
  return {{"Hostname", figures.node},
          {"UUID", share.uuid},
          {"container", share.container},
          {"gpu", std::to_string(share.minor)},
          {"namespace", share.pod.namespace_name},
          {"pod", share.pod.name}};
}

Labels With(Labels labels, Labels more) {
  labels.insert(labels.end(), more.begin(), more.end());
  return labels;
}

void CardFamilies(const NodeFigures& figures, std::vector<MetricFamily>& out) {
  Family info("aliquot_card_info", "Always 1; what a card is.");
  Family healthy("aliquot_card_healthy", "1 when the card may be given, 0 with the reason.");
  Family core("aliquot_card_granted_core_percent", "Cores that live grants hold of the card.");
  Family memory("aliquot_card_granted_memory_bytes", "Memory that live grants hold of the card.");
  Family shares("aliquot_card_shares", "Live grants on the card.");
  Family total("aliquot_card_memory_total_bytes", "The card's memory.");
  Family used("aliquot_card_memory_used_bytes", "Memory in use, as the driver says.");
  Family gpu("aliquot_card_utilization_percent", "Time with a kernel running, as the driver says.");
  Family bus("aliquot_card_memory_utilization_percent",
             "Time with memory being read or written, as the driver says.");
  Family heat("aliquot_card_temperature_celsius", "Temperature of the chip.");
  Family power("aliquot_card_power_watts", "Power drawn.");
  Family strangers("aliquot_card_stranger_processes",
                   "Processes on the card that belong to no share.");
  Family stranger_memory("aliquot_card_stranger_memory_bytes",
                         "Memory of processes that belong to no share.");
  for (const CardReading& card : figures.cards) {
    const Labels labels = CardLabels(figures, card);
    info.Add(With(labels, {{"modelName", card.model}, {"pci_bus_id", card.pci}}), 1);
    const bool ours = card.mode.empty() || card.mode == "none";
    const std::string reason = ours ? card.health : card.mode;
    healthy.Add(With(labels, {{"reason", reason}}), reason == "ok" ? 1 : 0);
    core.Add(labels, card.granted_core);
    memory.Add(labels, static_cast<double>(card.granted_mib) * kBytesPerMebibyte);
    shares.Add(labels, card.shares);
    total.Add(labels, static_cast<double>(card.total_mib) * kBytesPerMebibyte);
    used.AddKnown(labels, card.used_mib, kBytesPerMebibyte);
    gpu.AddKnown(labels, card.gpu_percent);
    bus.AddKnown(labels, card.memory_percent);
    heat.AddKnown(labels, card.temperature_celsius);
    power.AddKnown(labels, card.power_milliwatts, 1e-3);
    strangers.Add(labels, card.strangers);
    stranger_memory.Add(labels, static_cast<double>(card.stranger_mib) * kBytesPerMebibyte);
  }
  for (Family* each : {&info, &healthy, &core, &memory, &shares, &total, &used, &gpu, &bus, &heat,
                       &power, &strangers, &stranger_memory}) {
    out.push_back(each->Take());
  }
}

void GrantFamilies(const NodeFigures& figures, std::vector<MetricFamily>& out) {
  Family info("aliquot_share_info",
              "Always 1; which container holds which card: joins with DCGM's metrics on UUID.");
  Family core("aliquot_share_core_percent", "Cores that the container was granted on the card.");
  Family ceiling("aliquot_share_core_ceiling_percent", "Cores it may use while the card is idle.");
  Family memory("aliquot_share_memory_limit_bytes", "Memory that it was granted on the card.");
  Family used("aliquot_share_memory_used_bytes", "Memory of its processes, as the driver says.");
  Family sm("aliquot_share_utilization_percent",
            "Utilization by its processes, as the driver samples it.");
  Family processes("aliquot_share_processes",
                   "Its processes on the card, as the driver lists them.");
  for (const ShareReading& share : figures.shares) {
    const Labels labels = ShareLabels(figures, share);
    info.Add(With(labels, {{"enforcement", share.enforcement},
                           {"isolation", share.isolation},
                           {"uid", share.pod_uid}}),
             1);
    core.Add(labels, share.core);
    ceiling.Add(labels, share.ceiling == 0 ? share.core : share.ceiling);
    memory.Add(labels, static_cast<double>(share.mib) * kBytesPerMebibyte);
    used.AddKnown(labels, share.used_mib, kBytesPerMebibyte);
    sm.AddKnown(labels, share.sm_percent);
    processes.Add(labels, share.processes);
  }
  for (Family* each : {&info, &core, &ceiling, &memory, &used, &sm, &processes}) {
    out.push_back(each->Take());
  }
}

void ChargeFamilies(const NodeFigures& figures, std::vector<MetricFamily>& out) {
  Family held("aliquot_share_memory_charged_bytes",
              "Memory that the enforcement library has charged to the container.");
  Family peak("aliquot_share_memory_peak_bytes", "The most it has charged, summed over processes.");
  Family busy("aliquot_share_busy_seconds_total",
              "GPU time of its kernels, as the library measures.", MetricType::Counter);
  Family launches("aliquot_share_launches_total", "Kernels and graphs launched.",
                  MetricType::Counter);
  Family waits("aliquot_share_throttled_seconds_total", "Time it was made to wait for its turn.",
               MetricType::Counter);
  Family denied("aliquot_share_allocations_denied_total", "Allocations refused by the limit.",
                MetricType::Counter);
  for (const ShareReading& share : figures.shares) {
    if (!share.charged || !share.counted) {
      continue;
    }
    const Labels labels = ShareLabels(figures, share);
    const ShareCounts& counted = *share.counted;
    held.Add(labels, static_cast<double>(share.charged->held_bytes));
    peak.Add(labels, static_cast<double>(share.charged->peak_bytes));
    busy.Add(labels, static_cast<double>(counted.busy_ns) / kNanosecondsPerSecond);
    launches.Add(labels, static_cast<double>(counted.launches));
    waits.Add(labels, static_cast<double>(counted.throttled_ns) / kNanosecondsPerSecond);
    denied.Add(labels, static_cast<double>(counted.denied));
  }
  for (Family* each : {&held, &peak, &busy, &launches, &waits, &denied}) {
    out.push_back(each->Take());
  }
}

void EnforcementFamilies(const NodeFigures& figures, std::vector<MetricFamily>& out) {
  Family now("aliquot_share_core_now_percent", "Percent of the card that it may use just now.");
  Family overhead("aliquot_share_memory_overhead_bytes",
                  "Memory that the driver counts beyond what its processes charged.");
  Family drift("aliquot_share_busy_correction_seconds",
               "GPU time by the driver less what its processes measured.");
  Family unenforced("aliquot_agent_unenforced", "1 while the share is not held, with the reason.");
  for (const ShareReading& share : figures.shares) {
    if (!share.held) {
      continue;
    }
    const Labels labels = ShareLabels(figures, share);
    now.Add(labels, share.held->core_now == 0 ? share.core : share.held->core_now);
    overhead.Add(labels, static_cast<double>(share.held->overhead_bytes));
    drift.Add(labels, static_cast<double>(share.held->busy_correction_ns) / kNanosecondsPerSecond);
    for (const std::string& reason : share.held->verdicts) {
      unenforced.Add(With(labels, {{"reason", reason}}), 1);
    }
  }
  for (Family* each : {&now, &overhead, &drift, &unenforced}) {
    out.push_back(each->Take());
  }
}

}  // namespace

std::vector<MetricFamily> NodeMetrics(const NodeFigures& figures) {
  std::vector<MetricFamily> families;
  CardFamilies(figures, families);
  GrantFamilies(figures, families);
  ChargeFamilies(figures, families);
  EnforcementFamilies(figures, families);
  return families;
}

}  // namespace aliquot::agent
