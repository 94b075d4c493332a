// SPDX-License-Identifier: Apache-2.0
#include "ledger/snapshot.h"

namespace aliquot::ledger {

bool Snapshot::At(std::uint32_t place, scoring::NodeState* state) const {
  const Block& block = *blocks_[place / Block::kNodes];
  const Block::NodeEntry& entry = block.nodes[place % Block::kNodes];
  if (entry.facts == nullptr) {
    return false;
  }
  state->facts = entry.facts.get();
  state->cards = block.cards.data() + entry.first_card;
  state->card_count = entry.card_count;
  state->closed = entry.closed;
  return true;
}

bool Snapshot::Find(std::string_view node, scoring::NodeState* state) const {
  const auto found = index_->find(node);
  return found != index_->end() && At(found->second, state);
}

std::vector<scoring::NodeState> Snapshot::Nodes() const {
  std::vector<scoring::NodeState> nodes;
  nodes.reserve(index_->size());
  const auto places = static_cast<std::uint32_t>(blocks_.size() * Block::kNodes);
  for (std::uint32_t place = 0; place < places; ++place) {
    scoring::NodeState state;
    if (At(place, &state)) {
      nodes.push_back(state);
    }
  }
  return nodes;
}

}  // namespace aliquot::ledger
