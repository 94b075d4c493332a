// SPDX-License-Identifier: Apache-2.0
#include "ledger/snapshot.h"

namespace aliquot::ledger {

NodeIndex::NodeIndex(const std::vector<std::string>& names) {
  std::size_t bytes = 0;
  for (const std::string& name : names) {
    bytes += name.size();
  }
  names_.reserve(bytes);  // the views must not move
  places_.reserve(names.size());
  for (std::size_t place = 0; place < names.size(); ++place) {
    if (!names[place].empty()) {
      const std::size_t start = names_.size();
      names_ += names[place];
      places_.emplace(std::string_view(names_).substr(start), static_cast<std::uint32_t>(place));
    }
  }
}

std::optional<std::uint32_t> NodeIndex::Find(std::string_view name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? std::nullopt : std::optional<std::uint32_t>(found->second);
}

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
  state->cordoned = entry.cordoned;
  state->host_known = entry.host_known;
  state->host_free = entry.host_free;
  state->gate = entry.gate;
  state->claims = entry.claims.get();
  state->place = place;
  state->version = entry.version;
  return true;
}

bool Snapshot::Find(std::string_view node, scoring::NodeState* state) const {
  const std::optional<std::uint32_t> place = index_->Find(node);
  return place && At(*place, state);
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
