// SPDX-License-Identifier: Apache-2.0
#include "agent/usage/figures_collector.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "agent/usage/usage_file.h"

namespace aliquot::agent {
namespace {

class Reading {
 public:
  Reading(const ReadingInputs& inputs, GpuBackend& backend, const StateLayout& layout,
          const std::function<std::optional<ProcessOwner>(pid_t)>& owner_of,
          ShareCounters& counters)
      : inputs_(inputs),
        backend_(backend),
        layout_(layout),
        owner_of_(owner_of),
        counters_(counters) {}

  NodeFigures Take() {
    figures_.node = inputs_.node;
    for (const auto& grant : inputs_.grants) {
      AddGrant(*grant);
    }
    for (const MachineCard& card : inputs_.machine.cards) {
      AddCard(card);
    }
    std::sort(figures_.shares.begin(), figures_.shares.end(),
              [](const ShareReading& a, const ShareReading& b) {
                return std::tie(a.pod, a.container, a.minor) <
                       std::tie(b.pod, b.container, b.minor);
              });
    return std::move(figures_);
  }

 private:
  void AddGrant(const GrantRecord& grant) {
    const std::uint64_t began = counters_.Now();
    const auto usage = grant.library.empty()
                           ? Result<ContainerUsage>(NotFound("no library"))
                           : ReadUsageFile(layout_.UsageRegion(grant.name), grant.cards.size());
    const auto counted =
        usage.ok() ? counters_.Add(grant, *usage->region, began) : std::vector<ShareCounts>();
    for (std::size_t i = 0; i < grant.cards.size(); ++i) {
      const GrantedCard& card = grant.cards[i];
      ShareReading share;
      share.pod = grant.identity.key;
      share.pod_uid = grant.identity.uid;
      share.container = grant.identity.container;
      share.uuid = card.uuid;
      share.minor = card.minor;
      share.core = card.core;
      share.mib = card.mib;
      share.ceiling = grant.limit;
      share.isolation = grant.isolation;
      const bool whole = card.core >= 100;
      share.enforcement = whole ? "whole" : grant.enforcement;
      const auto held = inputs_.enforcement.find(grant.name);
      if (!whole && held != inputs_.enforcement.end() && i < held->second.size()) {
        share.held = held->second[i];
        share.enforcement = share.held->verdicts.empty() ? share.enforcement : "unenforced";
      }
      if (i < counted.size()) {
        share.charged = usage->cards[i];
        share.counted = counted[i];
      }
      figures_.shares.push_back(std::move(share));
    }
  }

  void AddCard(const MachineCard& card) {
    CardReading reading;
    reading.uuid = card.card.uuid;
    reading.minor = card.card.minor;
    reading.model = card.card.model;
    reading.pci = card.card.pci;
    reading.total_mib = card.card.mib;
    const auto standing = inputs_.standing.find(card.card.uuid);
    reading.health = standing == inputs_.standing.end() ? "unknown" : standing->second.health;
    reading.mode = standing == inputs_.standing.end() ? card.card.mode : standing->second.mode;
    for (const ShareReading& share : figures_.shares) {
      if (share.uuid == reading.uuid) {
        reading.granted_core += share.core;
        reading.granted_mib += share.mib;
        ++reading.shares;
      }
    }
    AddGauges(reading);
    figures_.cards.push_back(std::move(reading));
  }

  void AddGauges(CardReading& reading) {
    const auto figures = backend_.Figures(reading.uuid);
    if (!figures.ok()) {
      return;
    }
    reading.used_mib = figures->mib_used;
    reading.gpu_percent = figures->gpu_percent;
    reading.memory_percent = figures->memory_percent;
    reading.temperature_celsius = figures->temperature_celsius;
    reading.power_milliwatts = figures->power_milliwatts;
    for (const CardProcess& process : figures->processes) {
      AddProcess(process, reading);
    }
  }

  void AddProcess(const CardProcess& process, CardReading& card) {
    ShareReading* share = ShareOf(process.pid, card.uuid);
    if (share == nullptr) {
      ++card.strangers;
      card.stranger_mib += std::max<std::int64_t>(process.mib, 0);
      return;
    }
    ++share->processes;
    if (process.mib >= 0) {
      share->used_mib = share->used_mib.value_or(0) + process.mib;
    }
    if (process.sm_percent >= 0) {
      share->sm_percent = share->sm_percent.value_or(0) + process.sm_percent;
    }
  }

  // By the container's ID where the pod's status tells it; by the pod alone where it has one
  // container on the card.
  ShareReading* ShareOf(pid_t pid, const std::string& uuid) {
    const auto owner = owner_of_(pid);
    if (!owner) {
      return nullptr;
    }
    const auto known = inputs_.containers.find(owner->container_id);
    ShareReading* only = nullptr;
    int found = 0;
    for (ShareReading& share : figures_.shares) {
      if (share.uuid != uuid || share.pod_uid != owner->pod_uid) {
        continue;
      }
      if (known != inputs_.containers.end() && known->second.second == share.container) {
        return &share;
      }
      only = &share;
      ++found;
    }
    return found == 1 ? only : nullptr;
  }

  const ReadingInputs& inputs_;
  GpuBackend& backend_;
  const StateLayout& layout_;
  const std::function<std::optional<ProcessOwner>(pid_t)>& owner_of_;
  ShareCounters& counters_;
  NodeFigures figures_;
};

}  // namespace

NodeFigures TakeReading(const ReadingInputs& inputs, GpuBackend& backend, const StateLayout& layout,
                        const std::function<std::optional<ProcessOwner>(pid_t)>& owner_of,
                        ShareCounters& counters) {
  return Reading(inputs, backend, layout, owner_of, counters).Take();
}

}  // namespace aliquot::agent
