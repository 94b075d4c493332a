// SPDX-License-Identifier: Apache-2.0
#pragma once

// What policies and the placer see of a node: its facts, and the state of its cards at one instant.
// Plain values and views; units: percent of a card, MiB,
// 1/1000 of a core.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "model/host.h"
#include "model/inventory.h"
#include "scoring/card_state.h"
#include "scoring/claimed_cards.h"
#include "scoring/refusal.h"
#include "topology/node_topology.h"

namespace aliquot::scoring {

// What a node is, apart from who holds what. Immutable, shared by snapshots.
struct NodeFacts {
  std::string name;
  bool cordoned = false;
  // nullptr when the node published none that can be read; then `inventory_problem` says why
  // ("" = none).
  std::shared_ptr<const model::Inventory> inventory;
  std::shared_ptr<const topology::NodeTopology> topology;  // nullptr exactly when `inventory` is
  std::string inventory_problem;
  // Processor and memory for pods; nothing when the node does not say, and then neither is ever
  // short.
  std::optional<model::HostAmount> allocatable;
};

// A node at one instant, as policies see it. A view: owned by the snapshot or the ledger that made
// it.
struct NodeState {
  const NodeFacts* facts = nullptr;
  const CardState* cards = nullptr;  // card_count of them, in the order of the inventory
  std::size_t card_count = 0;
  // Holds a running pod whose cards nobody knows: takes nothing new until it is drained.
  bool closed = false;
  // Of `facts` and the cards (GateOf in node_gate.h), kept beside the cards: a filter over 5,000
  // nodes that followed two pointers a node for them spent a quarter of its time waiting for
  // memory.
  bool cordoned = false;
  Refusal gate = Refusal::kNone;
  // What is left of the allocatable processor and memory beside the requests of all pods on the
  // node, as far as they are known; below 0 where others over-booked it. Means nothing while
  // `host_known` is false.
  bool host_known = false;
  model::HostAmount host_free;
  // Room that preemption made for pods which are not bound yet; nullptr on nearly every node.
  const ClaimedCards* claims = nullptr;
  // Where the node stands in its snapshot, and a number that no other state of any node ever had.
  std::uint32_t place = 0;
  std::uint64_t version = 0;
};

}  // namespace aliquot::scoring
