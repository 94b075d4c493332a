// SPDX-License-Identifier: Apache-2.0
#include "ledger/seen_hold.h"

#include <algorithm>
#include <utility>

#include "api/allocation_codec.h"
#include "api/gpu_index.h"
#include "base/strings.h"
#include "model/gpu_count.h"

namespace aliquot::ledger {
namespace {

const model::AllocatedContainer* FindContainer(const model::Allocation& record,
                                               std::string_view name) {
  for (const model::AllocatedContainer& container : record.containers) {
    if (container.name == name) {
      return &container;
    }
  }
  return nullptr;
}

// The record's containers in the order of the demand, which everything else is parallel to.
void OrderByDemand(const model::PodDemand& demand, model::Allocation& record) {
  std::vector<model::AllocatedContainer> ordered;
  for (const model::ContainerDemand& container : demand.containers) {
    ordered.push_back(*FindContainer(record, container.name));
  }
  record.containers = std::move(ordered);
}

// Shares on as many cards as the record gives them: aliquot.io/gpu-count may have been edited
// since. What cannot be divided like that stays, and does not agree with the record.
void DivideAsGiven(const model::Allocation& record, model::PodDemand& demand) {
  for (model::ContainerDemand& container : demand.containers) {
    const model::AllocatedContainer* given = FindContainer(record, container.name);
    if (!container.whole && given != nullptr && !given->cards.empty()) {
      model::SpreadOver(static_cast<int>(given->cards.size()), container);
    }
  }
}

// Minor numbers of each demand container; false unless every app container has a readable
// annotation. Init containers have none: they are taken to sit on the cards of the app containers,
// as many as they ask for.
bool ReadIndexes(const model::Pod& pod, const model::PodDemand& demand,
                 std::vector<std::vector<int>>* minors) {
  std::vector<int> all;
  for (const model::ContainerDemand& container : demand.containers) {
    std::vector<int> own;
    if (container.kind == model::ContainerKind::kApp) {
      const std::string* text = pod.Annotation(api::GpuIndexKey(container.index));
      if (text == nullptr) {
        return false;
      }
      Result<std::vector<int>> parsed = api::ParseGpuIndexes(*text);
      if (!parsed.ok() || static_cast<int>(parsed->size()) != container.cards) {
        return false;
      }
      own = *std::move(parsed);
      all.insert(all.end(), own.begin(), own.end());
    }
    minors->push_back(std::move(own));
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (std::size_t i = 0; i < minors->size(); ++i) {
    const auto wanted = static_cast<std::size_t>(demand.containers[i].cards);
    if (!(*minors)[i].empty()) {
      continue;
    }
    if (all.size() < wanted) {
      return false;
    }
    (*minors)[i].assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(wanted));
  }
  return !all.empty();
}

SeenHold WithoutRecord(const model::Pod& pod, SeenHold seen) {
  if (ReadIndexes(pod, seen.hold.demand, &seen.hold.minors)) {
    seen.hold.source = HoldSource::kIndex;
    return seen;
  }
  seen.hold.minors.clear();
  if (!seen.problem.empty()) {
    seen.hold.source = HoldSource::kWholeNode;
    return seen;
  }
  if (pod.phase == model::PodPhase::kPending) {
    seen.kind = SeenKind::kUnstamped;
    return seen;
  }
  seen.hold.source = HoldSource::kUnknownRunning;
  seen.problem =
      "the pod runs without a record of its cards; its node takes nothing new until it is gone";
  return seen;
}

}  // namespace

std::string RecordMismatch(const model::Allocation& record, const model::Pod& pod,
                           const model::PodDemand& demand) {
  if (record.uid != pod.uid) {
    return "uid is \"" + Printable(record.uid) + "\", not this pod's";
  }
  if (record.node != pod.node_name) {
    return "node is \"" + Printable(record.node) + "\", but the pod is on " + pod.node_name;
  }
  if (record.containers.size() != demand.containers.size()) {
    return "it names " + std::to_string(record.containers.size()) + " containers, the pod has " +
           std::to_string(demand.containers.size()) + " that ask for GPUs";
  }
  for (const model::ContainerDemand& asked : demand.containers) {
    const model::AllocatedContainer* given = FindContainer(record, asked.name);
    if (given == nullptr) {
      return "container \"" + Printable(asked.name) + "\" is missing";
    }
    if (static_cast<int>(given->cards.size()) != asked.cards) {
      return "container \"" + Printable(asked.name) + "\" has " +
             std::to_string(given->cards.size()) + " cards instead of " +
             std::to_string(asked.cards);
    }
    for (const model::AllocatedCard& card : given->cards) {
      if (card.core != asked.core || (!asked.whole && card.mib != asked.mib)) {
        return "container \"" + Printable(asked.name) +
               "\" has another core or memory than its spec asks for";
      }
    }
  }
  return "";
}

SeenHold ReadBoundPod(const model::Pod& pod, const model::ResourceNames& names) {
  SeenHold seen;
  // The spec cannot be edited. Annotations can: they count only where no record says what they
  // were.
  Result<model::PodDemand> of_spec = model::DemandOfSpec(pod, names);
  const Result<model::PodDemand> asked = model::DemandOf(pod, names);
  const std::string* text = pod.Annotation(model::kAllocationAnnotation);
  const bool waits = text == nullptr && pod.phase == model::PodPhase::kPending;
  if (!of_spec.ok() || (waits && !asked.ok())) {
    seen.problem = asked.status().message();
    return seen;
  }
  seen.kind = SeenKind::kHold;
  seen.hold.uid = pod.uid;
  seen.hold.key = pod.key;
  seen.hold.priority = pod.priority;
  seen.hold.leaving = pod.deleting;
  seen.hold.labels = pod.labels;
  seen.hold.demand = asked.ok() ? *asked : *of_spec;
  if (text == nullptr) {
    return WithoutRecord(pod, std::move(seen));
  }
  Result<model::Allocation> record = api::ParseAllocation(*text);
  if (record.ok()) {
    DivideAsGiven(*record, *of_spec);
  }
  std::string mismatch =
      record.ok() ? RecordMismatch(*record, pod, *of_spec) : record.status().message();
  if (!mismatch.empty()) {
    seen.problem = "annotation " + std::string(model::kAllocationAnnotation) +
                   " cannot be used: " + mismatch + "; delete the pod to get a new one";
    return WithoutRecord(pod, std::move(seen));
  }
  seen.hold.source = HoldSource::kRecord;
  seen.hold.demand = *std::move(of_spec);
  seen.hold.allocation = *std::move(record);
  OrderByDemand(seen.hold.demand, seen.hold.allocation);
  return seen;
}

namespace {

model::CardsOfContainers CardsOf(const model::Inventory& inventory, const Hold& hold) {
  model::CardsOfContainers cards(hold.demand.containers.size());
  for (std::size_t i = 0; i < cards.size(); ++i) {
    if (hold.source == HoldSource::kRecord) {
      for (const model::AllocatedCard& card : hold.allocation.containers[i].cards) {
        cards[i].push_back(inventory.IndexOfUuid(card.uuid));
      }
    } else {
      for (const int minor : hold.minors[i]) {
        cards[i].push_back(inventory.IndexOfMinor(minor));
      }
    }
    // A card that left the node takes nothing from those that stay.
    cards[i].erase(std::remove(cards[i].begin(), cards[i].end(), -1), cards[i].end());
  }
  return cards;
}

// The whole demand as if every container of the pod sat on each card.
std::vector<model::CardUse> UseOnEveryCard(const Hold& hold,
                                           const std::vector<std::int64_t>& card_mib) {
  std::vector<int> every;
  for (std::size_t card = 0; card < card_mib.size(); ++card) {
    every.push_back(static_cast<int>(card));
  }
  return model::PeakUse(hold.demand, model::CardsOfContainers(hold.demand.containers.size(), every),
                        card_mib);
}

}  // namespace

void ResolveUses(const model::Inventory* inventory, Hold& hold) {
  hold.uses.clear();
  if (inventory == nullptr || hold.source == HoldSource::kUnknownRunning) {
    return;
  }
  std::vector<std::int64_t> card_mib;
  for (const model::Card& card : inventory->cards) {
    card_mib.push_back(card.mib);
  }
  const std::vector<model::CardUse> peak =
      hold.source == HoldSource::kWholeNode
          ? UseOnEveryCard(hold, card_mib)
          : model::PeakUse(hold.demand, CardsOf(*inventory, hold), card_mib);
  for (std::size_t card = 0; card < peak.size(); ++card) {
    if (peak[card].pods > 0) {
      hold.uses.emplace_back(static_cast<int>(card), peak[card]);
    }
  }
}

}  // namespace aliquot::ledger
