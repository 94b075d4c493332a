// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where rings of cards can lie. Pure functions, thread-safe. `edges` holds for each card the cards
// it is linked to, both ways.

#include <vector>

#include "topology/card_set.h"

namespace aliquot::topology {

// The largest groups of cards that stay in one piece when any one card is taken out (the
// biconnected components), of 3 cards and more. A ring lies inside one of them.
std::vector<CardSet> RingBlocks(const std::vector<CardSet>& edges);

// Do the edges within `block` fall between two halves of it, none inside a half? Every ring has an
// even number of cards then. Pre: `block` is in one piece.
bool HasEvenRingsOnly(const std::vector<CardSet>& edges, CardSet block);

}  // namespace aliquot::topology
