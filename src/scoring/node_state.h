// SPDX-License-Identifier: Apache-2.0
#pragma once

// What policies and the placer see of a node: its facts, and the state of its cards at one instant.
// Plain values and views; units: percent of a card, MiB.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "model/inventory.h"
#include "scoring/refusal.h"
#include "topology/node_topology.h"

namespace aliquot::scoring {

// One card at one instant. Small and contiguous: a filter over 5,000 nodes reads 40,000 of these.
struct CardState {
  std::int32_t mib_total = 0;
  std::int32_t mib_used = 0;
  std::int16_t core_used = 0;  // percent; above 100 only when others over-booked the card
  std::int16_t pods = 0;       // pods that hold a share of it
  bool usable = false;         // healthy and ours to share

  int core_free() const { return 100 - core_used; }
  int mib_free() const { return mib_total - mib_used; }
  bool idle() const { return core_used == 0 && mib_used == 0 && pods == 0; }
};

// What a node is, apart from who holds what. Immutable, shared by snapshots.
struct NodeFacts {
  std::string name;
  bool cordoned = false;
  // nullptr when the node published none that can be read; then `inventory_problem` says why
  // ("" = none).
  std::shared_ptr<const model::Inventory> inventory;
  std::shared_ptr<const topology::NodeTopology> topology;  // nullptr exactly when `inventory` is
  std::string inventory_problem;
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
  // Where the node stands in its snapshot, and a number that no other state of any node ever had.
  std::uint32_t place = 0;
  std::uint64_t version = 0;
};

}  // namespace aliquot::scoring
