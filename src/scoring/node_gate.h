// SPDX-License-Identifier: Apache-2.0
#pragma once

// What stands in the way on the node itself, before any card is looked at. Pure, thread-safe.

#include "scoring/node_state.h"
#include "scoring/refusal.h"

namespace aliquot::scoring {

// What `facts` and the cards alone say: kNone, kNoInventory, kBadInventory, kLeaving or
// kNoUsableCard. To be computed when they change and kept in NodeState::gate.
Refusal GateOf(const NodeFacts& facts, const CardState* cards, std::size_t card_count);

// kNone, or the first of: kNoInventory or kBadInventory, kLeaving, kClosed, kCordoned (unless
// tolerated), kNoUsableCard.
Refusal CheckNode(const NodeState& node, bool tolerates_cordon);

}  // namespace aliquot::scoring
