// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "api/allocation_codec.h"
#include "ledger/ledger.h"
#include "ledger/node_slot.h"
#include "ledger/seen_hold.h"

// What the cluster says: nodes and pods as the watch shows them.

namespace aliquot::ledger {

void Ledger::SetNode(const model::Node& node) {
  auto facts = std::make_shared<scoring::NodeFacts>();
  facts->name = node.name;
  facts->cordoned = node.unschedulable;
  facts->inventory = node.inventory;
  facts->inventory_problem = node.inventory_problem;
  facts->allocatable = node.allocatable;
  if (facts->inventory != nullptr) {
    auto topology = catalog_.For(*facts->inventory);
    if (topology.ok()) {
      facts->topology = *topology;
    } else {
      facts->inventory = nullptr;
      facts->inventory_problem = topology.status().message();
    }
  }
  if (ReplaceFacts(node.name, std::move(facts))) {
    on_room_(node.name);
  }
}

bool Ledger::ReplaceFacts(const std::string& name,
                          std::shared_ptr<const scoring::NodeFacts> facts) {
  while (true) {
    const SlotPtr slot = FindOrMakeSlot(name);
    MutexLock lock(slot->mutex);
    if (slot->retired) {
      continue;
    }
    // A node heartbeat changes none of this: without a change there is nothing to publish or to
    // wake.
    if (slot->facts != nullptr && slot->facts->cordoned == facts->cordoned &&
        slot->facts->inventory_problem == facts->inventory_problem &&
        slot->facts->allocatable == facts->allocatable &&
        model::SameInventory(slot->facts->inventory, facts->inventory)) {
      return false;
    }
    slot->SetFacts(std::move(facts));
    slot->host_of_others = OthersOn(name);
    slot->PublishTo(board_);
    return true;
  }
}

model::HostAmount Ledger::OthersOn(const std::string& name) const {
  MutexLock lock(nodes_mutex_);
  const auto found = other_requests_.find(name);
  return found == other_requests_.end() ? model::HostAmount() : found->second;
}

void Ledger::SetOtherRequests(StringMap<model::HostAmount> by_node) {
  std::vector<SlotPtr> slots;
  {
    MutexLock lock(nodes_mutex_);
    other_requests_ = std::move(by_node);
    slots.reserve(slots_.size());
    for (const auto& [name, slot] : slots_) {
      slots.push_back(slot);
    }
  }
  for (const SlotPtr& slot : slots) {
    MutexLock lock(slot->mutex);
    const model::HostAmount now = OthersOn(slot->name);
    if (slot->retired || slot->host_of_others == now) {
      continue;
    }
    slot->host_of_others = now;
    if (slot->facts != nullptr && slot->facts->allocatable) {
      slot->PublishTo(board_);
    }
  }
}

void Ledger::RemoveNode(std::string_view name) {
  const SlotPtr slot = FindSlot(name);
  if (slot == nullptr) {
    return;
  }
  MutexLock lock(slot->mutex);
  slot->SetFacts(nullptr);
  slot->PublishTo(board_);
  if (slot->RetireIfEmpty()) {
    Forget(*slot);
  }
}

PodChange Ledger::SetPod(const model::Pod& pod) {
  PodChange change;
  if (!pod.asks_for_gpu()) {
    return change;
  }
  if (pod.finished()) {
    change.effect = RemovePod(pod.uid) ? PodEffect::kFreed : PodEffect::kNone;
    return change;
  }
  if (pod.node_name.empty()) {
    FollowNomination(pod);
    change.effect = PodEffect::kPending;
    return change;
  }
  change = SetBoundPod(pod);
  EndClaims(pod.uid);  // its hold takes the place of what it claimed
  return change;
}

PodChange Ledger::SetBoundPod(const model::Pod& pod) {
  const std::string place = PlaceOf(pod.uid);
  if (!place.empty() && place != pod.node_name) {
    // We reserved on one node and somebody else bound it to another: the cluster's word holds.
    Drop(pod.uid, DropWhich::kAny);
  } else if (!place.empty()) {
    const SlotPtr slot = FindSlot(place);
    if (slot != nullptr) {
      const std::optional<PodChange> again = SeenAgain(*slot, pod);
      if (again) {
        return *again;
      }
    }
  }
  return AddSeen(pod);
}

// A bound pod whose hold is on its node already. Nothing when the hold went away meanwhile.
std::optional<PodChange> Ledger::SeenAgain(NodeSlot& slot, const model::Pod& pod) {
  const std::string* record = pod.Annotation(model::kAllocationAnnotation);
  MutexLock lock(slot.mutex);
  Hold* hold = slot.Find(pod.uid);
  if (hold == nullptr) {
    return std::nullopt;
  }
  hold->priority = pod.priority;
  hold->leaving = pod.deleting;
  if (!(hold->labels == pod.labels)) {
    hold->labels = pod.labels;
  }
  PodChange change;
  if (hold->state == HoldState::kReserved) {
    if (record == nullptr) {
      change.effect = PodEffect::kNeedsStamp;  // bound without the annotations we reserved for it
      return change;
    }
    if (*record != api::FormatAllocation(hold->allocation)) {
      return std::nullopt;  // bound with another record than ours: read it as new
    }
    hold->state = HoldState::kBound;
    hold->expires.reset();
    hold->record_hash = std::hash<std::string>()(*record);
    MutexLock pods(pods_mutex_);
    places_[pod.uid].reserved = false;
    expiring_.erase(pod.uid);
    unstamped_.erase(pod.uid);
    change.effect = PodEffect::kHeld;
    return change;
  }
  if (hold->source == HoldSource::kUnknownRunning && record != nullptr) {
    return std::nullopt;  // it has a word at last
  }
  const std::size_t hash = record == nullptr ? 0 : std::hash<std::string>()(*record);
  if (hash != hold->record_hash && hold->source == HoldSource::kRecord) {
    hold->record_hash = hash;
    change.effect = PodEffect::kRecordChanged;
    change.problem = "annotation " + std::string(model::kAllocationAnnotation) +
                     " was changed after the pod was bound; the change has no effect";
  }
  return change;
}

PodChange Ledger::AddSeen(const model::Pod& pod) {
  PodChange change;
  SeenHold seen = ReadBoundPod(pod, names_);
  change.problem = std::move(seen.problem);
  if (seen.kind == SeenKind::kUnreadable) {
    change.effect = PodEffect::kNotReadable;
    return change;
  }
  if (seen.kind == SeenKind::kUnstamped) {
    MutexLock lock(pods_mutex_);
    unstamped_.insert(pod.uid);
    change.effect = PodEffect::kNeedsStamp;
    return change;
  }
  switch (seen.hold.source) {
    case HoldSource::kRecord:
      change.effect = PodEffect::kHeld;
      break;
    case HoldSource::kIndex:
      change.effect = PodEffect::kAdoptedByIndex;
      break;
    case HoldSource::kWholeNode:
      change.effect = PodEffect::kCountedOnAll;
      break;
    case HoldSource::kUnknownRunning:
      change.effect = PodEffect::kClosedNode;
      break;
  }
  auto hold = std::make_unique<Hold>(std::move(seen.hold));
  const std::string* record = pod.Annotation(model::kAllocationAnnotation);
  hold->record_hash = record == nullptr ? 0 : std::hash<std::string>()(*record);
  while (true) {
    const SlotPtr slot = FindOrMakeSlot(pod.node_name);
    MutexLock lock(slot->mutex);
    if (slot->retired) {
      continue;
    }
    ResolveUses(slot->inventory(), *hold);
    slot->Add(std::move(hold));
    slot->PublishTo(board_);
    MutexLock pods(pods_mutex_);
    places_[pod.uid] = PodPlace{slot->name, false, false};
    expiring_.erase(pod.uid);
    unstamped_.erase(pod.uid);
    return change;
  }
}

bool Ledger::RemovePod(std::string_view uid) {
  const bool held = Drop(uid, DropWhich::kAny);
  EndClaims(uid);
  return held;
}

std::vector<std::pair<std::string, model::PodKey>> Ledger::BoundNotIn(const StringSet& seen) const {
  std::vector<std::pair<std::string, std::string>> missing;  // uid, node
  {
    MutexLock lock(pods_mutex_);
    for (const auto& [uid, place] : places_) {
      if (!place.reserving && !place.reserved && !seen.contains(uid)) {
        missing.emplace_back(uid, place.node);
      }
    }
  }
  std::vector<std::pair<std::string, model::PodKey>> pods;
  for (const auto& [uid, node] : missing) {
    const SlotPtr slot = FindSlot(node);
    if (slot == nullptr) {
      continue;
    }
    MutexLock lock(slot->mutex);
    const Hold* hold = slot->Find(uid);
    if (hold != nullptr) {
      pods.emplace_back(uid, hold->key);
    }
  }
  return pods;
}

}  // namespace aliquot::ledger
