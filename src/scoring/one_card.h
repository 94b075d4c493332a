// SPDX-License-Identifier: Apache-2.0
#pragma once

// A pod with several GPU containers all on one card: the usual case, without a search. Pure,
// thread-safe; allocates nothing.

#include "model/demand.h"
#include "scoring/eligible_cards.h"
#include "scoring/node_state.h"

namespace aliquot::scoring {

// The first of `cards` that holds the pod's peak alone; -1 when there is none, or when a container
// asks for whole or several cards.
int CardForAll(const NodeState& node, const model::PodDemand& demand, int max_sharers,
               topology::CardSet cards = kEveryCard);

}  // namespace aliquot::scoring
