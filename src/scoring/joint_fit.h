// SPDX-License-Identifier: Apache-2.0
#pragma once

// A pod with several GPU containers, or cards that must keep together, on one node. Pure,
// thread-safe.

#include "model/demand.h"
#include "model/peak.h"
#include "scoring/eligible_cards.h"
#include "scoring/node_state.h"
#include "scoring/placer.h"

namespace aliquot::scoring {

// Whether the containers fit together on eligible cards, by exact search within the steps of
// `options` and `budget` (which it charges), past that by the greedy answer. Fills `cards` when it
// fits, unless it is nullptr. Also for one container whose several cards must keep together.
Verdict PlaceJointly(const NodeState& node, const Ask& ask, const EligibleCards& eligible,
                     const PlacerOptions& options, const Policy& policy, StepBudget& budget,
                     model::CardsOfContainers* cards);

}  // namespace aliquot::scoring
