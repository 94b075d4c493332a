// SPDX-License-Identifier: Apache-2.0
#pragma once

// The best ring of every set of cards of a small node. A pure function. Units: GB/s one way.

#include <cstdint>
#include <vector>

#include "topology/set_objective.h"

namespace aliquot::topology {

// Two to the power of this many sets are ranked in some milliseconds and take about 2 MB; nodes
// with more cards get no table.
inline constexpr int kMaxTableCards = 16;

// By set: the smallest edge of its best ring; of a pair, its link; of one card and of none, 0.
// Pre: at most kMaxTableCards cards.
std::vector<std::uint16_t> RingTable(const SetShape& shape);

}  // namespace aliquot::topology
