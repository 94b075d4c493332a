// SPDX-License-Identifier: Apache-2.0
#include "agent/usage/gpu_manager_pages.h"

#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>
#include <vector>

#include "prometheus/metric_family.h"
#include "prometheus/text_serializer.h"

namespace aliquot::agent {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using Labels = std::vector<ClientMetric::Label>;

// gpu-manager counts by container: one sum over its cards beside a figure for each.
struct ContainerSum {
  std::vector<const ShareReading*> cards;
  int percent = 0;
  std::int64_t mib = 0;
  int core = 0;
  std::int64_t asked_mib = 0;
};

using ContainerKey = std::tuple<std::string, std::string, std::string>;

int PercentOf(const ShareReading& share) { return share.sm_percent.value_or(0); }
std::int64_t MibOf(const ShareReading& share) {
  if (share.used_mib) {
    return *share.used_mib;
  }
  return share.charged ? static_cast<std::int64_t>(share.charged->held_bytes >> 20) : 0;
}

std::map<ContainerKey, ContainerSum> ByContainer(const NodeFigures& figures) {
  std::map<ContainerKey, ContainerSum> sums;
  for (const ShareReading& share : figures.shares) {
    ContainerSum& sum = sums[{share.pod.namespace_name, share.pod.name, share.container}];
    sum.cards.push_back(&share);
    sum.percent += PercentOf(share);
    sum.mib += MibOf(share);
    sum.core += share.core;
    sum.asked_mib += share.mib;
  }
  return sums;
}

void Add(MetricFamily& family, const NodeFigures& figures, const ContainerKey& key,
         const char* label, const std::string& what, double value) {
  ClientMetric metric;
  metric.label = {{"container_name", std::get<2>(key)},
                  {label, what},
                  {"namespace", std::get<0>(key)},
                  {"node", figures.node},
                  {"pod_name", std::get<1>(key)}};
  metric.gauge.value = value;
  family.metric.push_back(std::move(metric));
}

MetricFamily Gauge(const char* name, const char* help) {
  MetricFamily family;
  family.name = name;
  family.help = help;
  family.type = prometheus::MetricType::Gauge;
  return family;
}

}  // namespace

std::string GpuManagerMetric(const NodeFigures& figures) {
  MetricFamily use = Gauge("container_gpu_utilization", "gpu utilization");
  MetricFamily memory = Gauge("container_gpu_memory_total", "gpu memory usage in MiB");
  MetricFamily asked = Gauge("container_request_gpu_utilization", "request of gpu utilization");
  MetricFamily asked_memory = Gauge("container_request_gpu_memory", "request of gpu memory in MiB");
  for (const auto& [key, sum] : ByContainer(figures)) {
    for (const ShareReading* card : sum.cards) {
      const std::string name = "gpu" + std::to_string(card->minor);
      Add(use, figures, key, "gpu", name, PercentOf(*card));
      Add(memory, figures, key, "gpu_memory", name, static_cast<double>(MibOf(*card)));
    }
    Add(use, figures, key, "gpu", "total", sum.percent);
    Add(memory, figures, key, "gpu_memory", "total", static_cast<double>(sum.mib));
    Add(asked, figures, key, "req_of_gpu", "total", sum.core / 100.0);
    Add(asked_memory, figures, key, "req_of_gpu_memory", "total",
        static_cast<double>(sum.asked_mib));
  }
  return prometheus::TextSerializer().Serialize({use, memory, asked, asked_memory});
}

std::string GpuManagerUsage(const NodeFigures& figures) {
  nlohmann::ordered_json usage = nlohmann::ordered_json::object();
  for (const ShareReading& share : figures.shares) {
    auto& pod = usage[share.pod_uid];
    pod["namespace"] = share.pod.namespace_name;
    pod["pod"] = share.pod.name;
    auto& card = pod["stat"][share.container]["gpu" + std::to_string(share.minor)];
    card = {{"uuid", share.uuid},         {"requestCore", share.core},
            {"requestMemory", share.mib}, {"utilization", PercentOf(share)},
            {"memory", MibOf(share)},     {"processes", share.processes}};
  }
  return nlohmann::ordered_json{{"node", figures.node}, {"usage", usage}}.dump();
}

std::string GpuManagerGraph(const NodeFigures& figures) {
  std::string text = "ROOT:" + std::to_string(figures.cards.size()) + "\n";
  for (const CardReading& card : figures.cards) {
    text += "|---GPU" + std::to_string(card.minor) + " (pids: " + std::to_string(card.strangers) +
            " of no share, usedMemory: " + std::to_string(card.used_mib.value_or(0)) +
            ", totalMemory: " + std::to_string(card.total_mib) +
            ", allocatableCores: " + std::to_string(100 - card.granted_core) +
            ", allocatableMemory: " + std::to_string(card.total_mib - card.granted_mib) + ", " +
            card.health + ")\n";
  }
  return text;
}

}  // namespace aliquot::agent
