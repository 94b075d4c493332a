// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "agent/gpu/machine.h"
#include "agent/inventory/owner.h"
#include "model/inventory.h"
#include "topology/read_measured_gbps.h"

namespace aliquot::agent {

// A card's health word by its UUID; "ok" where none is given.
using HealthWords = std::map<std::string, std::string, std::less<>>;

struct InventoryRules {
  HealthWords health;
  std::vector<std::string> include;  // cards.include: UUIDs; where given, only these are ours
  OwnerVerdict owner;
  // Measured GB/s, cards in the order of their minor numbers; nullptr = nothing was measured.
  const topology::MeasuredGbps* measured = nullptr;
  bool leaving = false;
};

struct BuiltInventory {
  model::Inventory inventory;  // passes api::ParseInventory
  // What could not be published, one sentence each that says why and what to do.
  std::vector<std::string> notes;
};

// What the node publishes of its cards, by minor number. A card is left out where it can't be named
// without doubt: every card of a UUID or minor number that several have, never one of them at
// random; and a card past api::kMaxCardsPerNode. A card that is not ours stays in, with the reason
// as its mode. Equal input gives an equal inventory. Pure and thread-safe.
BuiltInventory BuildInventory(const Machine& machine, const InventoryRules& rules);

}  // namespace aliquot::agent
