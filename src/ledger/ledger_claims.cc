// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "ledger/card_uses.h"
#include "ledger/ledger.h"
#include "ledger/node_slot.h"

// Room that preemption makes for a pod, from the answer to kube-scheduler until the pod is bound.
// The claims' mutex is held over a change from end to end, so that two changes of one pod's claims
// reach the nodes in their order.

namespace aliquot::ledger {
void Ledger::ClaimRoom(const ClaimRequest& request) {
  std::vector<std::string> freed;
  {
    MutexLock lock(claims_mutex_);
    Claimant& claimant = claimants_[request.uid];
    freed = DropClaims(request.uid, claimant, "");
    claimant = Claimant();
    claimant.priority = request.priority;
    claimant.nominated_before = request.nominated_before;
    claimant.expires = request.expires;
    for (const RoomOnNode& room : request.rooms) {
      claimant.nodes.insert(room.node);
      PutClaim(room.node, {request.uid, request.priority, room.uses, room.leaving});
    }
    if (claimant.nodes.empty()) {
      claimants_.erase(request.uid);
    }
    claimant_count_.store(claimants_.size(), std::memory_order_release);
  }
  TellRoom(freed);
}

void Ledger::FollowNomination(const model::Pod& pod) {
  if (pod.nominated_node.empty() && claimant_count_.load(std::memory_order_acquire) == 0) {
    return;
  }
  std::vector<std::string> freed;
  {
    MutexLock lock(claims_mutex_);
    const auto found = claimants_.find(pod.uid);
    if (found == claimants_.end()) {
      if (!pod.nominated_node.empty()) {
        ClaimByNomination(pod, claimants_[pod.uid]);
      }
    } else if (found->second.nodes.contains(pod.nominated_node)) {
      found->second.nominated = pod.nominated_node;
      found->second.expires.reset();
      freed = DropClaims(pod.uid, found->second, pod.nominated_node);
    } else if (found->second.nominated.empty() &&
               (pod.nominated_node.empty() ||
                pod.nominated_node == found->second.nominated_before)) {
      return;  // the nomination that the claims are for is still on its way
    } else {
      freed = DropClaims(pod.uid, found->second, "");
      if (pod.nominated_node.empty()) {
        claimants_.erase(found);
      } else {
        ClaimByNomination(pod, found->second);
      }
    }
    claimant_count_.store(claimants_.size(), std::memory_order_release);
  }
  TellRoom(freed);
}

void Ledger::ClaimByNomination(const model::Pod& pod, Claimant& claimant) {
  claimant = Claimant();
  claimant.priority = pod.priority;
  claimant.nominated = pod.nominated_node;
  Result<model::PodDemand> demand = model::DemandOf(pod, names_);
  if (!demand.ok() || demand->empty()) {
    return;
  }
  CommitRequest& request = claimant.to_choose.emplace();
  request.uid = pod.uid;
  request.node = pod.nominated_node;
  request.demand = *std::move(demand);
  request.tolerates_cordon = pod.tolerates_cordon;
  request.priority = pod.priority;
  ChooseClaim(pod.uid, claimant);
}

// As a preemption would: on the node without the pods of lower priority that are leaving.
void Ledger::ChooseClaim(const std::string& uid, Claimant& claimant) {
  const CommitRequest& request = *claimant.to_choose;
  const SlotPtr slot = FindSlot(request.node);
  if (slot == nullptr) {
    return;
  }
  MutexLock lock(slot->mutex);
  if (slot->facts == nullptr || slot->Find(uid) != nullptr) {
    return;
  }
  const bool had = slot->RemoveClaim(uid);
  PlacedClaim claim{uid, claimant.priority, {}, {}};
  for (const auto& [held_by, hold] : slot->holds) {
    if (hold->leaving && hold->priority < claimant.priority) {
      claim.leaving.push_back(held_by);
    }
  }
  const std::vector<scoring::CardState> cards = slot->CardsWithout(claim.leaving);
  scoring::NodeState state = slot->State();
  state.cards = cards.data();
  state.claims = nullptr;
  scoring::StepBudget budget(placer_.options());
  const std::shared_ptr<const scoring::Outlook> outlook = OutlookFor(request);
  const scoring::Choice choice = placer_.Choose(state, request.AskWith(*outlook), budget);
  if (choice.verdict.fits()) {
    claim.uses = UsesOf(request.demand, choice.cards, *slot->inventory());
    slot->AddClaim(std::move(claim));
    claimant.nodes.insert(slot->name);
  }
  if (had || choice.verdict.fits()) {
    slot->PublishTo(board_);
  }
}

void Ledger::RenewClaims() {
  if (claimant_count_.load(std::memory_order_acquire) == 0) {
    return;
  }
  MutexLock lock(claims_mutex_);
  for (auto& [uid, claimant] : claimants_) {
    if (claimant.to_choose) {
      ChooseClaim(uid, claimant);
    }
  }
}

void Ledger::EndClaims(std::string_view uid) {
  if (claimant_count_.load(std::memory_order_acquire) == 0) {
    return;
  }
  std::vector<std::string> freed;
  {
    MutexLock lock(claims_mutex_);
    const auto found = claimants_.find(uid);
    if (found == claimants_.end()) {
      return;
    }
    freed = DropClaims(uid, found->second, "");
    claimants_.erase(found);
    claimant_count_.store(claimants_.size(), std::memory_order_release);
  }
  TellRoom(freed);
}

void Ledger::EndExpiredClaims() {
  if (claimant_count_.load(std::memory_order_acquire) == 0) {
    return;
  }
  const SteadyTime now = clock_.SteadyNow();
  std::vector<std::string> freed;
  {
    MutexLock lock(claims_mutex_);
    for (auto it = claimants_.begin(); it != claimants_.end();) {
      const auto claimant = it++;
      if (claimant->second.expires && *claimant->second.expires <= now) {
        const std::vector<std::string> nodes = DropClaims(claimant->first, claimant->second, "");
        freed.insert(freed.end(), nodes.begin(), nodes.end());
        claimants_.erase(claimant);
      }
    }
    claimant_count_.store(claimants_.size(), std::memory_order_release);
  }
  TellRoom(freed);
}

std::vector<std::string> Ledger::DropClaims(std::string_view uid, Claimant& claimant,
                                            std::string_view kept) {
  std::vector<std::string> dropped;
  for (const std::string& node : claimant.nodes) {
    if (node != kept) {
      dropped.push_back(node);
    }
  }
  for (const std::string& node : dropped) {
    claimant.nodes.erase(node);
    const SlotPtr slot = FindSlot(node);
    if (slot == nullptr) {
      continue;
    }
    MutexLock lock(slot->mutex);
    if (slot->RemoveClaim(uid)) {
      slot->PublishTo(board_);
    }
  }
  return dropped;
}

void Ledger::PutClaim(const std::string& node, PlacedClaim claim) {
  const SlotPtr slot = FindSlot(node);
  if (slot == nullptr) {
    return;
  }
  MutexLock lock(slot->mutex);
  // Its node may have changed since the cards were chosen.
  const std::size_t card_count = slot->cards.size();
  const bool known = std::all_of(
      claim.uses.begin(), claim.uses.end(),
      [card_count](const auto& use) { return static_cast<std::size_t>(use.first) < card_count; });
  if (known && !slot->retired) {
    slot->AddClaim(std::move(claim));
    slot->PublishTo(board_);
  }
}

void Ledger::TellRoom(const std::vector<std::string>& nodes) const {
  for (const std::string& node : nodes) {
    on_room_(node);
  }
}

std::optional<NodeForPreemption> Ledger::ForPreemption(std::string_view node) const {
  const SlotPtr slot = FindSlot(node);
  if (slot == nullptr) {
    return std::nullopt;
  }
  NodeForPreemption view;
  {
    MutexLock lock(slot->mutex);
    if (slot->facts == nullptr) {
      return std::nullopt;
    }
    view.facts = slot->facts;
    if (slot->facts->allocatable) {
      view.host_free = slot->HostFree();
    }
    view.pods.reserve(slot->holds.size());
    for (const auto& [uid, hold] : slot->holds) {
      view.pods.push_back(
          {hold->uid, hold->key, hold->state, hold->source == HoldSource::kUnknownRunning,
           hold->leaving, hold->priority, hold->uses, scoring::SumsOf(hold->demand), hold->labels});
    }
    for (const PlacedClaim& claim : slot->claims) {
      if (slot->Find(claim.uid) == nullptr) {
        view.claims.push_back(claim);
      }
    }
  }
  std::sort(view.pods.begin(), view.pods.end(), [](const HeldPod& a, const HeldPod& b) {
    return a.key == b.key ? a.uid < b.uid : a.key < b.key;
  });
  return view;
}

}  // namespace aliquot::ledger
