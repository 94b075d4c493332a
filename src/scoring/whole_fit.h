// SPDX-License-Identifier: Apache-2.0
#pragma once

// One whole-card container on one node: a count of idle cards. Pure, thread-safe.

#include "model/demand.h"
#include "scoring/eligible_cards.h"
#include "scoring/node_state.h"
#include "scoring/refusal.h"
#include "topology/card_set.h"

namespace aliquot::scoring {

// The usable cards that no pod holds.
topology::CardSet IdleCards(const NodeState& node);

// kNone, kTooFewCards or kTooFewIdleCards. Cards outside of `cards` count as if the node had none
// of them. Pre: whole.whole.
Refusal CheckWhole(const NodeState& node, const model::ContainerDemand& whole,
                   topology::CardSet cards = kEveryCard);

}  // namespace aliquot::scoring
