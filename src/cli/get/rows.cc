// SPDX-License-Identifier: Apache-2.0
#include "cli/get/rows.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/strings.h"
#include "model/demand.h"
#include "scoring/node_state.h"

namespace aliquot::cli {
namespace {

using scoring::CardState;
using scoring::NodeState;
using scoring::Refusal;

NodeRow RowOf(const NodeState& node) {
  NodeRow row;
  row.name = node.facts->name;
  const Refusal refusal =
      node.gate == Refusal::kNone && node.cordoned ? Refusal::kCordoned : node.gate;
  if (refusal != Refusal::kNone) {
    row.state = scoring::RefusalName(refusal);
    row.why = node.facts->inventory_problem.empty() ? std::string(scoring::RefusalSentence(refusal))
                                                    : node.facts->inventory_problem;
  }
  row.cards = static_cast<int>(node.card_count);
  for (std::size_t i = 0; i < node.card_count; ++i) {
    const CardState& card = node.cards[i];
    row.shares += card.pods;
    if (!card.usable) {
      continue;
    }
    ++row.usable;
    row.idle += card.idle() ? 1 : 0;
    row.core_total += 100;
    row.core_free += card.core_free();
    row.mib_total += card.mib_total;
    row.mib_free += card.mib_free();
    row.largest_core_free = std::max(row.largest_core_free, card.core_free());
    row.largest_mib_free = std::max<std::int64_t>(row.largest_mib_free, card.mib_free());
  }
  if (node.facts->inventory != nullptr) {
    row.driver = node.facts->inventory->driver;
    std::set<std::string> models;
    for (const model::Card& card : node.facts->inventory->cards) {
      models.insert(card.model);
    }
    row.models = Join({models.begin(), models.end()}, ", ");
  }
  return row;
}

CardRow RowOf(const NodeState& node, std::size_t place) {
  const model::Card& card = node.facts->inventory->cards[place];
  const CardState& state = node.cards[place];
  CardRow row;
  row.node = node.facts->name;
  row.index = card.minor;
  row.uuid = card.uuid;
  row.model = card.model;
  row.core_used = state.core_used;
  row.mib_used = state.mib_used;
  row.mib_total = state.mib_total;
  row.health = card.healthy() && !card.shareable() ? card.mode : card.health;
  row.numa = card.numa;
  row.pci = card.pci;
  return row;
}

std::string_view PhaseText(const model::Pod& pod) {
  if (pod.deleting && !pod.finished()) {
    return "Terminating";
  }
  switch (pod.phase) {
    case model::PodPhase::kPending:
      return "Pending";
    case model::PodPhase::kRunning:
      return "Running";
    case model::PodPhase::kSucceeded:
      return "Succeeded";
    case model::PodPhase::kFailed:
      return "Failed";
    case model::PodPhase::kUnknown:
      break;
  }
  return "Unknown";
}

std::string_view SourceText(ledger::HoldSource source) {
  switch (source) {
    case ledger::HoldSource::kRecord:
      return "record";
    case ledger::HoldSource::kIndex:
      return "index";
    default:
      return "unknown";
  }
}

const model::Inventory* InventoryOf(const ledger::Snapshot& snapshot, const std::string& node) {
  NodeState state;
  return snapshot.Find(node, &state) ? state.facts->inventory.get() : nullptr;
}

void FillFromRecord(const model::Allocation& record, const model::Inventory* inventory,
                    PodRow& row) {
  for (const model::AllocatedContainer& container : record.containers) {
    row.isolation = container.isolation;
    for (const model::AllocatedCard& card : container.cards) {
      PodCard shown{container.name, card.uuid, std::nullopt, card.core, card.mib};
      const int place = inventory == nullptr ? -1 : inventory->IndexOfUuid(card.uuid);
      if (place >= 0) {
        shown.index = inventory->cards[static_cast<std::size_t>(place)].minor;
      }
      row.cards.push_back(std::move(shown));
    }
  }
}

// A hold without a readable record: its cards by their place in the inventory.
void FillFromUses(const ledger::HoldView& hold, const model::Inventory* inventory, PodRow& row) {
  for (const auto& [place, use] : hold.uses) {
    if (inventory == nullptr || static_cast<std::size_t>(place) >= inventory->cards.size()) {
      continue;
    }
    const model::Card& card = inventory->cards[static_cast<std::size_t>(place)];
    row.cards.push_back({"", card.uuid, card.minor, use.core, use.mib});
  }
}

PodRow RowOf(const ledger::Ledger& ledger, const ledger::Snapshot& snapshot, const model::Pod& pod,
             const model::ResourceNames& names) {
  PodRow row;
  row.namespace_name = pod.key.namespace_name;
  row.name = pod.key.name;
  row.node = pod.node_name;
  row.phase = PhaseText(pod);
  row.created = pod.created;
  if (const auto demand = model::DemandOf(pod, names); demand.ok()) {
    row.isolation = demand->isolation;
    for (const model::ContainerDemand& container : demand->containers) {
      row.core += container.core * container.cards;
      row.mib += container.mib * container.cards;
    }
  }
  const auto hold = ledger.FindHold(pod.uid);
  if (!hold) {
    return row;
  }
  row.source = SourceText(hold->source);
  const model::Inventory* inventory = InventoryOf(snapshot, pod.node_name);
  if (hold->source == ledger::HoldSource::kRecord) {
    FillFromRecord(hold->allocation, inventory, row);
  } else {
    FillFromUses(*hold, inventory, row);
  }
  // What its cards give it at most over its life: init containers run before the others.
  if (!hold->uses.empty()) {
    row.core = 0;
    row.mib = 0;
    for (const auto& [place, use] : hold->uses) {
      row.core += static_cast<int>(use.core);
      row.mib += use.mib;
    }
  }
  return row;
}

}  // namespace

std::vector<NodeRow> NodeRows(const ledger::Ledger& ledger, bool all) {
  std::vector<NodeRow> rows;
  const auto snapshot = ledger.Read();
  for (const NodeState& node : snapshot->Nodes()) {
    const bool published =
        node.facts->inventory != nullptr || !node.facts->inventory_problem.empty();
    if (all || published) {
      rows.push_back(RowOf(node));
    }
  }
  std::sort(rows.begin(), rows.end(),
            [](const NodeRow& a, const NodeRow& b) { return a.name < b.name; });
  return rows;
}

std::vector<CardRow> CardRows(const ledger::Ledger& ledger) {
  std::vector<CardRow> rows;
  const auto snapshot = ledger.Read();
  for (const NodeState& node : snapshot->Nodes()) {
    const std::size_t first = rows.size();
    for (std::size_t i = 0; i < node.card_count; ++i) {
      rows.push_back(RowOf(node, i));
    }
    if (node.card_count == 0) {
      continue;
    }
    for (const ledger::HoldView& hold : ledger.HoldsOf(node.facts->name)) {
      for (const auto& [place, use] : hold.uses) {
        rows[first + static_cast<std::size_t>(place)].pods.push_back(hold.key.ToString());
      }
    }
  }
  std::sort(rows.begin(), rows.end(), [](const CardRow& a, const CardRow& b) {
    return std::tie(a.node, a.index, a.uuid) < std::tie(b.node, b.index, b.uuid);
  });
  return rows;
}

std::vector<PodRow> PodRows(const ledger::Ledger& ledger, const std::vector<model::Pod>& pods,
                            const model::ResourceNames& names) {
  std::vector<PodRow> rows;
  const auto snapshot = ledger.Read();
  for (const model::Pod& pod : pods) {
    rows.push_back(RowOf(ledger, *snapshot, pod, names));
  }
  std::sort(rows.begin(), rows.end(), [](const PodRow& a, const PodRow& b) {
    return std::tie(a.namespace_name, a.name) < std::tie(b.namespace_name, b.name);
  });
  return rows;
}

}  // namespace aliquot::cli
