// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "api/allocation_codec.h"
#include "ledger/ledger.h"
#include "ledger/node_slot.h"
#include "ledger/seen_hold.h"

// Our own decisions. Bind verb, webhook stamp and late stamp all end in Ledger::Commit.

namespace aliquot::ledger {
namespace {

model::Allocation AllocationFor(const CommitRequest& request, const model::Inventory& inventory,
                                const model::CardsOfContainers& cards) {
  model::Allocation allocation;
  allocation.uid = request.uid;
  allocation.node = request.node;
  for (std::size_t i = 0; i < cards.size(); ++i) {
    const model::ContainerDemand& demand = request.demand.containers[i];
    model::AllocatedContainer container;
    container.name = demand.name;
    container.limit = demand.whole ? 0 : request.demand.ceiling;
    container.isolation = request.demand.isolation;
    for (const int index : cards[i]) {
      const model::Card& card = inventory.cards[static_cast<std::size_t>(index)];
      container.cards.push_back({card.uuid, demand.core, demand.whole ? card.mib : demand.mib});
    }
    allocation.containers.push_back(std::move(container));
  }
  return allocation;
}

// The minor numbers behind an allocation; a card that left the node has none.
std::vector<std::vector<int>> MinorsOf(const model::Allocation& allocation,
                                       const model::Inventory* inventory) {
  std::vector<std::vector<int>> minors;
  for (const model::AllocatedContainer& container : allocation.containers) {
    std::vector<int> own;
    for (const model::AllocatedCard& card : container.cards) {
      const int index = inventory == nullptr ? -1 : inventory->IndexOfUuid(card.uuid);
      if (index >= 0) {
        own.push_back(inventory->cards[static_cast<std::size_t>(index)].minor);
      }
    }
    minors.push_back(std::move(own));
  }
  return minors;
}

}  // namespace

CommitResult Ledger::Commit(const CommitRequest& request) {
  std::string held_on;
  {
    MutexLock lock(pods_mutex_);
    const auto [place, fresh] =
        places_.try_emplace(request.uid, PodPlace{request.node, true, true});
    if (!fresh) {
      if (place->second.reserving) {
        CommitResult result;
        result.outcome = CommitOutcome::kInProgress;
        return result;
      }
      held_on = place->second.node;
    }
  }
  if (!held_on.empty()) {
    return AlreadyHeld(request, held_on);
  }
  CommitResult result;
  result.refusal = scoring::Refusal::kUnknownNode;
  const SlotPtr slot = FindSlot(request.node);
  if (slot != nullptr) {
    result = ReserveOn(*slot, request);
  }
  MutexLock lock(pods_mutex_);
  if (result.outcome != CommitOutcome::kReserved) {
    places_.erase(request.uid);
  } else {
    places_[request.uid].reserving = false;
    if (request.expires) {
      expiring_.insert(request.uid);
    }
  }
  commit_done_.NotifyAll();
  return result;
}

CommitResult Ledger::AlreadyHeld(const CommitRequest& request, const std::string& node) {
  CommitResult result;
  result.node = node;
  result.outcome =
      node == request.node ? CommitOutcome::kAlreadyHeld : CommitOutcome::kHeldElsewhere;
  const SlotPtr slot = FindSlot(node);
  if (slot == nullptr) {
    return result;
  }
  MutexLock lock(slot->mutex);
  Hold* hold = slot->Find(request.uid);
  if (hold != nullptr) {
    if (hold->expires && !request.expires && result.outcome == CommitOutcome::kAlreadyHeld) {
      hold->expires = std::max(*hold->expires, clock_.SteadyNow() + kJoinedFor);
    }
    result.bound = hold->state == HoldState::kBound;
    result.allocation = hold->allocation;
    result.minors = MinorsOf(hold->allocation, slot->inventory());
  }
  return result;
}

CommitResult Ledger::ReserveOn(NodeSlot& slot, const CommitRequest& request) {
  CommitResult result;
  const std::shared_ptr<const scoring::Outlook> outlook = OutlookFor(request);
  MutexLock lock(slot.mutex);
  if (slot.facts == nullptr) {
    result.refusal = scoring::Refusal::kUnknownNode;
    return result;
  }
  scoring::StepBudget budget(placer_.options());
  const scoring::Choice choice = placer_.Choose(slot.State(), request.AskWith(*outlook), budget);
  result.cut_short = choice.verdict.cut_short;
  result.refusal = choice.verdict.refusal;
  if (!choice.verdict.fits()) {
    return result;
  }
  auto hold = std::make_unique<Hold>();
  hold->uid = request.uid;
  hold->key = request.key;
  hold->state = HoldState::kReserved;
  hold->demand = request.demand;
  hold->priority = request.priority;
  hold->allocation = AllocationFor(request, *slot.inventory(), choice.cards);
  hold->expires = request.expires;
  ResolveUses(slot.inventory(), *hold);
  result.outcome = CommitOutcome::kReserved;
  result.allocation = hold->allocation;
  result.minors = MinorsOf(hold->allocation, slot.inventory());
  slot.Add(std::move(hold));
  slot.PublishTo(board_);
  return result;
}

void Ledger::Confirm(std::string_view uid) {
  const std::string node = PlaceOf(uid);
  const SlotPtr slot = node.empty() ? nullptr : FindSlot(node);
  if (slot == nullptr) {
    return;
  }
  MutexLock lock(slot->mutex);
  Hold* hold = slot->Find(uid);
  if (hold == nullptr || hold->state == HoldState::kBound) {
    return;
  }
  hold->state = HoldState::kBound;
  hold->expires.reset();
  hold->record_hash = std::hash<std::string>()(api::FormatAllocation(hold->allocation));
  MutexLock pods(pods_mutex_);
  places_[hold->uid].reserved = false;
  expiring_.erase(uid);
  unstamped_.erase(uid);
}

void Ledger::Release(std::string_view uid) { Drop(uid, DropWhich::kReservedOnly); }

bool Ledger::Drop(std::string_view uid, DropWhich which) {
  const std::string node = DropHold(uid, which);
  if (node.empty()) {
    return false;
  }
  on_room_(node);
  return true;
}

std::string Ledger::DropHold(std::string_view uid, DropWhich which) {
  const std::string node = PlaceOf(uid);
  const SlotPtr slot = node.empty() ? nullptr : FindSlot(node);
  if (slot == nullptr) {
    MutexLock lock(pods_mutex_);
    if (which == DropWhich::kAny) {
      unstamped_.erase(uid);
    }
    return "";
  }
  MutexLock lock(slot->mutex);
  const Hold* hold = slot->Find(uid);
  if (hold == nullptr || (which != DropWhich::kAny && hold->state != HoldState::kReserved)) {
    return "";
  }
  if (which == DropWhich::kExpiredOnly &&
      (!hold->expires.has_value() || *hold->expires > clock_.SteadyNow())) {
    return "";
  }
  const std::string key(uid);  // `uid` may point into the hold
  slot->Remove(key);
  slot->PublishTo(board_);
  {
    MutexLock pods(pods_mutex_);
    places_.erase(key);
    expiring_.erase(key);
    if (which == DropWhich::kAny) {
      unstamped_.erase(key);
    }
  }
  if (slot->RetireIfEmpty()) {
    Forget(*slot);
  }
  return node;
}

int Ledger::ReleaseExpired() {
  std::vector<std::string> candidates;
  {
    MutexLock lock(pods_mutex_);
    candidates.assign(expiring_.begin(), expiring_.end());
  }
  int released = 0;
  for (const std::string& uid : candidates) {
    released += Drop(uid, DropWhich::kExpiredOnly) ? 1 : 0;
  }
  EndExpiredClaims();
  return released;
}

}  // namespace aliquot::ledger
