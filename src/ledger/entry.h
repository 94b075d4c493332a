// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "model/allocation.h"
#include "model/demand.h"
#include "model/peak.h"
#include "model/pod.h"

namespace aliquot::ledger {

// How the ledger knows a pod's cards, from best to worst.
enum class HoldSource {
  kRecord,         // aliquot.io/allocation, or our own commit
  kIndex,          // predicate-gpu-idx-* and the pod's spec
  kWholeNode,      // unknown cards: the demand counts on every card
  kUnknownRunning  // runs without any record: the node is closed
};

enum class HoldState { kReserved, kBound };

// One pod's hold on one node, as the ledger keeps it. Guarded by the mutex of its node's slot.
struct Hold {
  std::string uid;
  model::PodKey key;
  HoldState state = HoldState::kBound;
  HoldSource source = HoldSource::kRecord;
  model::PodDemand demand;
  std::int64_t priority = 0;
  bool leaving = false;  // it is being deleted
  model::Labels labels;
  // kRecord: the record; it never changes once here.
  model::Allocation allocation;
  // kIndex: per demand container, the minor numbers written on the pod.
  std::vector<std::vector<int>> minors;
  std::optional<SteadyTime> expires;  // kReserved only
  std::size_t record_hash = 0;        // of the record's text as last seen, to notice edits
  // What it takes of each card of the node's present inventory, by card index; recomputed when the
  // inventory changes. Cards it does not touch are left out.
  std::vector<std::pair<int, model::CardUse>> uses;
};

// Where a UID's hold is.
struct PodPlace {
  std::string node;
  bool reserving = false;  // a commit is choosing cards for it at this moment
  bool reserved = false;   // not confirmed by the cluster yet
};

// A copy of a hold for readers.
struct HoldView {
  std::string uid;
  model::PodKey key;
  std::string node;
  HoldState state = HoldState::kBound;
  HoldSource source = HoldSource::kRecord;
  model::Allocation allocation;
  std::vector<std::pair<int, model::CardUse>> uses;
};

}  // namespace aliquot::ledger
