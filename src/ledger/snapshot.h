// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "scoring/node_state.h"
#include "scoring/outlook.h"

namespace aliquot::ledger {

// 64 nodes and their cards, immutable. A change of one node replaces one block, never the whole.
struct Block {
  static constexpr std::size_t kNodes = 64;

  struct NodeEntry {
    std::shared_ptr<const scoring::NodeFacts> facts;  // nullptr: no such node now
    std::uint64_t version = 0;
    std::uint32_t first_card = 0;
    std::uint16_t card_count = 0;
    bool closed = false;
    bool cordoned = false;
    bool host_known = false;
    scoring::Refusal gate = scoring::Refusal::kNone;
    model::HostAmount host_free;
    std::shared_ptr<const scoring::ClaimedCards> claims;  // nullptr on nearly every node
  };
  std::vector<NodeEntry> nodes;
  std::vector<scoring::CardState> cards;
  // What a request that knows a node from before reads of it, side by side: its version, or 0 where
  // there is no node or room on it is kept for somebody (then it has to be looked at each time).
  std::array<std::uint64_t, kNodes> versions{};
};

// Names to places. The names lie in one piece of memory, so that looking up 5,000 of them stays in
// the processor's cache. Immutable.
class NodeIndex {
 public:
  // names[place]; "" where there is no node.
  explicit NodeIndex(const std::vector<std::string>& names);
  NodeIndex(const NodeIndex&) = delete;
  NodeIndex& operator=(const NodeIndex&) = delete;

  // The place, or nothing.
  std::optional<std::uint32_t> Find(std::string_view name) const;
  std::size_t size() const { return places_.size(); }

 private:
  struct Hash {
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  std::string names_;
  absl::flat_hash_map<std::string_view, std::uint32_t, Hash> places_;  // keys view names_
};

// Every node at one instant, and the outlook on the pods to come by which they are to be ranked.
// Immutable; copying the pointer is the only cost of holding it. A request uses one snapshot from
// end to end.
class Snapshot {
 public:
  Snapshot(std::uint64_t generation, std::shared_ptr<const NodeIndex> index,
           std::vector<std::shared_ptr<const Block>> blocks,
           std::shared_ptr<const scoring::Outlook> outlook = nullptr)
      : generation_(generation),
        index_(std::move(index)),
        blocks_(std::move(blocks)),
        outlook_(std::move(outlook)) {}

  // Grows with every change of any node or pod: equal generations mean equal answers.
  std::uint64_t generation() const { return generation_; }

  std::size_t size() const { return index_->size(); }
  const scoring::Outlook& outlook() const {
    return outlook_ == nullptr ? scoring::Outlook::Unknown() : *outlook_;
  }

  // False when the node is not known. The view lives as long as this snapshot.
  bool Find(std::string_view node, scoring::NodeState* state) const;
  // The same in two steps, for loops that know most nodes from before. The place, or nothing.
  std::optional<std::uint32_t> PlaceOf(std::string_view node) const { return index_->Find(node); }
  bool At(std::uint32_t place, scoring::NodeState* state) const;
  // NodeState::version of the node at a place; 0 when there is none, or when claims are on it.
  std::uint64_t PlainVersionAt(std::uint32_t place) const {
    return blocks_[place / Block::kNodes]->versions[place % Block::kNodes];
  }
  // All nodes, in the order of their places. Views: keep the snapshot while they are used.
  std::vector<scoring::NodeState> Nodes() const;

 private:
  const std::uint64_t generation_;
  const std::shared_ptr<const NodeIndex> index_;
  const std::vector<std::shared_ptr<const Block>> blocks_;
  const std::shared_ptr<const scoring::Outlook> outlook_;
};

}  // namespace aliquot::ledger
