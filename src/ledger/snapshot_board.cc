// SPDX-License-Identifier: Apache-2.0
#include "ledger/snapshot_board.h"

#include <utility>

#include "scoring/node_gate.h"

namespace aliquot::ledger {

SnapshotBoard::SnapshotBoard() = default;

std::uint32_t SnapshotBoard::TakePlace(const std::string& name) {
  MutexLock lock(mutex_);
  index_.reset();
  latest_.reset();
  if (!free_places_.empty()) {
    const std::uint32_t place = free_places_.back();
    free_places_.pop_back();
    names_[place] = name;
    return place;
  }
  const auto place = static_cast<std::uint32_t>(names_.size());
  names_.push_back(name);
  if (place % Block::kNodes == 0) {
    auto block = std::make_shared<Block>();
    block->nodes.resize(Block::kNodes);
    blocks_.push_back(std::move(block));
  }
  return place;
}

void SnapshotBoard::GiveBackPlace(std::uint32_t place) {
  MutexLock lock(mutex_);
  Replace(place, Block::NodeEntry(), {});
  names_[place].clear();
  free_places_.push_back(place);
  index_.reset();
}

void SnapshotBoard::Publish(std::uint32_t place, std::shared_ptr<const scoring::NodeFacts> facts,
                            const std::vector<scoring::CardState>& cards,
                            const model::HostAmount& host_free, bool closed,
                            std::shared_ptr<const scoring::ClaimedCards> claims) {
  MutexLock lock(mutex_);
  Block::NodeEntry entry;
  entry.facts = std::move(facts);
  entry.host_free = host_free;
  entry.closed = closed;
  entry.claims = std::move(claims);
  if (entry.facts != nullptr) {
    entry.cordoned = entry.facts->cordoned;
    entry.host_known = entry.facts->allocatable.has_value();
    entry.gate = scoring::GateOf(*entry.facts, cards.data(), cards.size());
  }
  Replace(place, std::move(entry), cards);
}

// Builds the block anew around one changed node; the other 63 are copied as they stand.
void SnapshotBoard::Replace(std::uint32_t place, Block::NodeEntry entry,
                            const std::vector<scoring::CardState>& cards) {
  std::shared_ptr<const Block>& slot = blocks_[place / Block::kNodes];
  const Block& old = *slot;
  entry.version = generation_.load(std::memory_order_relaxed) + 1;  // of this change
  auto fresh = std::make_shared<Block>();
  fresh->nodes.reserve(Block::kNodes);
  fresh->cards.reserve(old.cards.size() + cards.size());
  for (std::size_t i = 0; i < Block::kNodes; ++i) {
    const bool changed = i == place % Block::kNodes;
    Block::NodeEntry node = changed ? std::move(entry) : old.nodes[i];
    const auto first = static_cast<std::uint32_t>(fresh->cards.size());
    if (changed) {
      fresh->cards.insert(fresh->cards.end(), cards.begin(), cards.end());
    } else {
      const auto from = old.cards.begin() + old.nodes[i].first_card;
      fresh->cards.insert(fresh->cards.end(), from, from + old.nodes[i].card_count);
    }
    node.first_card = first;
    node.card_count = static_cast<std::uint16_t>(fresh->cards.size() - first);
    fresh->versions[i] = node.facts == nullptr || node.claims != nullptr ? 0 : node.version;
    fresh->nodes.push_back(std::move(node));
  }
  slot = std::move(fresh);
  latest_.reset();
  generation_.fetch_add(1, std::memory_order_release);
}

void SnapshotBoard::SetOutlook(std::shared_ptr<const scoring::Outlook> outlook) {
  MutexLock lock(mutex_);
  outlook_ = std::move(outlook);
  latest_.reset();
}

std::shared_ptr<const scoring::Outlook> SnapshotBoard::outlook() const {
  MutexLock lock(mutex_);
  return outlook_;
}

std::shared_ptr<const Snapshot> SnapshotBoard::Read() const {
  MutexLock lock(mutex_);
  if (latest_ != nullptr) {
    return latest_;
  }
  if (index_ == nullptr) {
    index_ = std::make_shared<NodeIndex>(names_);
  }
  latest_ = std::make_shared<Snapshot>(generation_.load(std::memory_order_acquire), index_, blocks_,
                                       outlook_);
  return latest_;
}

}  // namespace aliquot::ledger
