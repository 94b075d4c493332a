// SPDX-License-Identifier: Apache-2.0
#pragma once

// Figures that several policies share. Pure, thread-safe; no allocation.

#include <cstdint>

#include "model/demand.h"
#include "scoring/node_state.h"

namespace aliquot::scoring {

// Two figures in permille.
struct Permille {
  std::int64_t core = 0;
  std::int64_t memory = 0;

  std::int64_t sum() const { return core + memory; }
};

// What is left of the card once `share` is on it.
Permille LeftOnCard(const CardState& card, const model::ContainerDemand& share);

// How much of the node's usable cards is taken now. Both 0 when it has none.
Permille UsedOfNode(const NodeState& node);

}  // namespace aliquot::scoring
