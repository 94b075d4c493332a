// SPDX-License-Identifier: Apache-2.0
#pragma once

// What free cards are worth to later pods (docs/reference/scoring.md, "What remains"). Pure
// functions. Units: GB/s one way, added up.

#include <cstdint>
#include <vector>

#include "topology/set_objective.h"

namespace aliquot::topology {

// By set of free cards, on nodes small enough for a table: the sum, over every size of two cards
// and more, of the best ring that a pod of that size could still get. `rings` is RingTable(shape).
std::vector<std::int32_t> RemainingTable(const SetShape& shape,
                                         const std::vector<std::uint16_t>& rings);

// On larger nodes: the sum over all pairs of the free cards.
std::int64_t RemainingPairs(const SetShape& shape, CardSet free);

}  // namespace aliquot::topology
