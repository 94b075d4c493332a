// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ledger/entry.h"
#include "model/inventory.h"
#include "model/names.h"
#include "model/pod.h"

namespace aliquot::ledger {

// What a bound pod's own words say of its cards.
enum class SeenKind {
  kHold,        // `hold` is to be counted, by hold.source
  kUnstamped,   // bound, not started, no word of any card
  kUnreadable,  // its spec breaks the resource model
};

struct SeenHold {
  SeenKind kind = SeenKind::kUnreadable;
  Hold hold;
  std::string problem;  // one sentence where something had to be guessed or refused
};

// Reads a bound pod. Pure. The order of trust: the record aliquot.io/allocation where it is
// readable and agrees with the pod's UID, node and spec; else predicate-gpu-idx-* with the spec;
// else, when a record was there and is damaged, the demand on every card of the node; else, when
// the pod runs, nothing is known and the node must close; else it waits for its stamp. A tenant who
// damages its own pod's annotations can so block no more than it asked for, and never frees
// anything. What a user asks by annotation is not read again where there is a record.
SeenHold ReadBoundPod(const model::Pod& pod, const model::ResourceNames& names);

// Why the record does not speak for this pod, or "".
std::string RecordMismatch(const model::Allocation& record, const model::Pod& pod,
                           const model::PodDemand& demand);

// Fills hold.uses from the node's inventory as it is now; `inventory` may be nullptr.
void ResolveUses(const model::Inventory* inventory, Hold& hold);

}  // namespace aliquot::ledger
