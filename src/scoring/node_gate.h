// SPDX-License-Identifier: Apache-2.0
#pragma once

// What stands in the way on the node itself, before any card is looked at. Pure, thread-safe.

#include "scoring/node_state.h"
#include "scoring/refusal.h"

namespace aliquot::scoring {

// kNone, or the first of: kNoInventory or kBadInventory, kLeaving, kClosed, kCordoned (unless
// tolerated), kNoUsableCard.
Refusal CheckNode(const NodeState& node, bool tolerates_cordon);

}  // namespace aliquot::scoring
