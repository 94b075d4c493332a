// SPDX-License-Identifier: Apache-2.0
#pragma once

// The list of all sets of one size, best first, so that anybody can check a choice. Pure,
// thread-safe. Units: GB/s one way.

#include <vector>

#include "base/status.h"
#include "topology/set_objective.h"

namespace aliquot::topology {

// More sets than this are not listed: 20 cards have at most 184,756 of one size, 16 have 12,870.
inline constexpr int kMaxRankedSets = 200000;

struct RankedSet {
  CardSet set = 0;
  SetValue value;
};

// An error, one sentence, where `cards` have more than kMaxRankedSets subsets of `count`.
Status CheckListable(int cards, int count);

// On a node too large for a table; as SetChooser::Ranked. `max_steps` bounds the search for the
// best ring of each set. Pre: CheckListable.
std::vector<RankedSet> RankBySearch(const SetShape& shape, const SetRequest& request,
                                    int max_steps);

// The connectedness of one set on a node too large for a table, as SetChooser::Of.
Connectedness ConnectednessBySearch(const SetShape& shape, CardSet set, int max_steps);

}  // namespace aliquot::topology
