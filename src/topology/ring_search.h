// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rings (Hamiltonian cycles) of one set of cards, on nodes too large for a table. Exact search
// within a bound on steps; pure, thread-safe. Units: GB/s one way.

#include <vector>

#include "topology/card_set.h"
#include "topology/set_objective.h"

namespace aliquot::topology {

// Work that may still be done. Counted in steps and not in time, so that equal questions get equal
// answers.
struct Steps {
  int left = 0;
  bool cut_short = false;  // somebody asked for a step when none was left

  bool Take() {
    cut_short = cut_short || left <= 0;
    left -= cut_short ? 0 : 1;
    return !cut_short;
  }
};

// For each card, the cards of `set` to which it has at least `gbps`; empty for cards outside.
std::vector<CardSet> EdgesOf(const SetShape& shape, CardSet set, int gbps);

// The different GB/s of the pairs of `set`, largest first.
std::vector<int> LevelsOf(const SetShape& shape, CardSet set);

// Do the cards of `set` form a ring of `edges`? Also false when the steps ran out before one was
// found. Pre: `set` has at least 3 cards.
bool HasRing(const std::vector<CardSet>& edges, CardSet set, Steps& steps);

// The smallest edge of the best ring; of a pair, its link; of one card, 0. Below the best only when
// the steps ran out.
int BestRing(const SetShape& shape, CardSet set, Steps& steps);

}  // namespace aliquot::topology
