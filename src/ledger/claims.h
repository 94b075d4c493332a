// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "ledger/card_uses.h"
#include "ledger/entry.h"
#include "model/demand.h"
#include "model/host.h"
#include "model/labels.h"
#include "model/peak.h"
#include "scoring/claimed_cards.h"
#include "scoring/node_state.h"
#include "scoring/pod_sums.h"

namespace aliquot::ledger {

// Room on one node that preemption makes for a pod which is not bound yet: what it will take of
// each card, and the pods whose leaving makes that room.
struct RoomOnNode {
  std::string node;
  CardUses uses;                     // by card index
  std::vector<std::string> leaving;  // UIDs
};

struct ClaimRequest {
  std::string uid;  // of the pod that preempts
  std::int64_t priority = 0;
  // Where kube-scheduler had nominated it before: not a word about this claim.
  std::string nominated_before;
  std::vector<RoomOnNode> rooms;  // one a node; kube-scheduler picks among them
  // The claims end at this time unless a nomination to one of the nodes is seen first.
  SteadyTime expires;
};

// A claim as its node keeps it. Guarded by the mutex of the node's slot.
struct PlacedClaim {
  std::string uid;
  std::int64_t priority = 0;
  CardUses uses;
  std::vector<std::string> leaving;
};

// A pod on a node for those who pick victims: a copy.
struct HeldPod {
  std::string uid;
  model::PodKey key;
  HoldState state = HoldState::kBound;
  bool cards_unknown = false;  // runs without a record: the node stays closed while it is there
  bool leaving = false;
  std::int64_t priority = 0;
  CardUses uses;
  scoring::PodSums sums;
  model::Labels labels;
};

// A node for those who pick victims: one instant of it, a copy.
struct NodeForPreemption {
  std::shared_ptr<const scoring::NodeFacts> facts;
  std::vector<HeldPod> pods;  // by key
  // Processor and memory that no pod of the node requests, as far as they are known; nothing when
  // the node does not say what it has.
  std::optional<model::HostAmount> host_free;
  // Of pods that hold nothing here yet.
  std::vector<PlacedClaim> claims;
};

}  // namespace aliquot::ledger
