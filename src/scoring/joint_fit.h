// SPDX-License-Identifier: Apache-2.0
#pragma once

// A pod with several GPU containers on one node. Pure, thread-safe.

#include "model/demand.h"
#include "model/peak.h"
#include "scoring/node_state.h"
#include "scoring/placer.h"

namespace aliquot::scoring {

// Whether the containers fit together, by exact search within the steps of `options` and `budget`
// (which it charges), past that by the greedy answer. Fills `cards` when it fits, unless it is
// nullptr.
Verdict PlaceJointly(const NodeState& node, const Ask& ask, const PlacerOptions& options,
                     const Policy& policy, StepBudget& budget, model::CardsOfContainers* cards);

}  // namespace aliquot::scoring
