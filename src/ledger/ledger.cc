// SPDX-License-Identifier: Apache-2.0
#include "ledger/ledger.h"

#include <algorithm>
#include <utility>

#include "ledger/node_slot.h"

// Slots, places and reads. What the cluster says is in ledger_cluster.cc, our own commits in
// ledger_commit.cc.

namespace aliquot::ledger {

Ledger::Ledger(const scoring::Placer& placer, topology::Catalog& catalog,
               const model::ResourceNames& names, const Clock& clock)
    : placer_(placer), catalog_(catalog), names_(names), clock_(clock) {}

Ledger::~Ledger() = default;

std::shared_ptr<const scoring::Outlook> Ledger::OutlookFor(const CommitRequest& request) const {
  std::shared_ptr<const scoring::Outlook> outlook =
      request.outlook != nullptr ? request.outlook : board_.outlook();
  if (outlook == nullptr) {
    // Owned by nobody: it lives as long as the program.
    outlook = std::shared_ptr<const scoring::Outlook>(std::shared_ptr<void>(),
                                                      &scoring::Outlook::Unknown());
  }
  return outlook;
}

Ledger::SlotPtr Ledger::FindSlot(std::string_view name) const {
  MutexLock lock(nodes_mutex_);
  const auto found = slots_.find(name);
  return found == slots_.end() ? nullptr : found->second;
}

Ledger::SlotPtr Ledger::FindOrMakeSlot(std::string_view name) {
  MutexLock lock(nodes_mutex_);
  const auto found = slots_.find(name);
  if (found != slots_.end()) {
    return found->second;
  }
  auto slot = std::make_shared<NodeSlot>(std::string(name), board_.TakePlace(std::string(name)));
  slots_.emplace(slot->name, slot);
  return slot;
}

void Ledger::Forget(const NodeSlot& slot) {
  MutexLock lock(nodes_mutex_);
  board_.GiveBackPlace(slot.place);
  slots_.erase(slot.name);
}

std::string Ledger::PlaceOf(std::string_view uid) const {
  MutexLock lock(pods_mutex_);
  auto found = places_.find(uid);
  while (found != places_.end() && found->second.reserving) {
    commit_done_.Wait(pods_mutex_);
    found = places_.find(uid);
  }
  return found == places_.end() ? "" : found->second.node;
}

namespace {

HoldView ViewOf(const Hold& hold, const std::string& node) {
  HoldView view;
  view.uid = hold.uid;
  view.key = hold.key;
  view.node = node;
  view.state = hold.state;
  view.source = hold.source;
  view.allocation = hold.allocation;
  view.uses = hold.uses;
  return view;
}

}  // namespace

std::optional<HoldView> Ledger::FindHold(std::string_view uid) const {
  const std::string node = PlaceOf(uid);
  const SlotPtr slot = node.empty() ? nullptr : FindSlot(node);
  if (slot == nullptr) {
    return std::nullopt;
  }
  MutexLock lock(slot->mutex);
  const Hold* hold = slot->Find(uid);
  return hold == nullptr ? std::nullopt : std::optional<HoldView>(ViewOf(*hold, slot->name));
}

std::vector<HoldView> Ledger::HoldsOf(std::string_view node) const {
  std::vector<HoldView> views;
  const SlotPtr slot = FindSlot(node);
  if (slot == nullptr) {
    return views;
  }
  {
    MutexLock lock(slot->mutex);
    for (const auto& [uid, hold] : slot->holds) {
      views.push_back(ViewOf(*hold, slot->name));
    }
  }
  std::sort(views.begin(), views.end(), [](const HoldView& a, const HoldView& b) {
    return a.key == b.key ? a.uid < b.uid : a.key < b.key;
  });
  return views;
}

LedgerCounts Ledger::Counts() const {
  LedgerCounts counts;
  const std::shared_ptr<const Snapshot> snapshot = Read();
  for (const scoring::NodeState& node : snapshot->Nodes()) {
    ++counts.nodes;
    for (std::size_t i = 0; i < node.card_count; ++i) {
      const scoring::CardState& card = node.cards[i];
      ++counts.cards;
      if (card.usable) {
        counts.core_total += model::kWholeCardCore;
        counts.mib_total += card.mib_total;
      }
      counts.core_used += card.core_used;
      counts.mib_used += card.mib_used;
    }
  }
  MutexLock lock(pods_mutex_);
  for (const auto& [uid, place] : places_) {
    ++(place.reserved ? counts.pods_reserved : counts.pods_bound);
  }
  counts.pods_unstamped = static_cast<std::int64_t>(unstamped_.size());
  return counts;
}

}  // namespace aliquot::ledger
