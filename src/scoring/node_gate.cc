// SPDX-License-Identifier: Apache-2.0
#include "scoring/node_gate.h"

namespace aliquot::scoring {

Refusal CheckNode(const NodeState& node, bool tolerates_cordon) {
  const NodeFacts& facts = *node.facts;
  if (facts.inventory == nullptr) {
    return facts.inventory_problem.empty() ? Refusal::kNoInventory : Refusal::kBadInventory;
  }
  // A CardSet has no room for more cards; the inventory's codec refuses them already.
  if (node.card_count > static_cast<std::size_t>(topology::kMaxCards)) {
    return Refusal::kBadInventory;
  }
  if (facts.inventory->leaving) {
    return Refusal::kLeaving;
  }
  if (node.closed) {
    return Refusal::kClosed;
  }
  if (facts.cordoned && !tolerates_cordon) {
    return Refusal::kCordoned;
  }
  for (std::size_t card = 0; card < node.card_count; ++card) {
    if (node.cards[card].usable) {
      return Refusal::kNone;
    }
  }
  return Refusal::kNoUsableCard;
}

}  // namespace aliquot::scoring
