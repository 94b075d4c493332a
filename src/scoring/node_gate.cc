// SPDX-License-Identifier: Apache-2.0
#include "scoring/node_gate.h"

namespace aliquot::scoring {

Refusal GateOf(const NodeFacts& facts, const CardState* cards, std::size_t card_count) {
  if (facts.inventory == nullptr) {
    return facts.inventory_problem.empty() ? Refusal::kNoInventory : Refusal::kBadInventory;
  }
  // A CardSet has no room for more cards; the inventory's codec refuses them already.
  if (card_count > static_cast<std::size_t>(topology::kMaxCards)) {
    return Refusal::kBadInventory;
  }
  if (facts.inventory->leaving) {
    return Refusal::kLeaving;
  }
  for (std::size_t card = 0; card < card_count; ++card) {
    if (cards[card].usable) {
      return Refusal::kNone;
    }
  }
  return Refusal::kNoUsableCard;
}

Refusal CheckNode(const NodeState& node, bool tolerates_cordon) {
  if (node.gate != Refusal::kNone && node.gate != Refusal::kNoUsableCard) {
    return node.gate;
  }
  if (node.closed) {
    return Refusal::kClosed;
  }
  if (node.cordoned && !tolerates_cordon) {
    return Refusal::kCordoned;
  }
  return node.gate;
}

}  // namespace aliquot::scoring
