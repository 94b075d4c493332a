// SPDX-License-Identifier: Apache-2.0
#pragma once

// One fractional container on one node: one pass over the cards, no allocation. Pure, thread-safe.

#include "model/demand.h"
#include "scoring/eligible_cards.h"
#include "scoring/node_state.h"
#include "scoring/policy.h"
#include "scoring/refusal.h"
#include "topology/card_set.h"

namespace aliquot::scoring {

// Room for one more pod with this share on the card as it is now.
bool ShareFits(const CardState& card, const model::ContainerDemand& share, int max_sharers);

// kNone, or why `share` (not whole) does not fit by itself: kTooFewCards, kCardTooSmall (never);
// kSharersLimit when enough cards have the room but too many sharers; kNotOnOneCard when a share of
// one card would fit into the sum of what is free; else kNotEnoughFree.
// Cards outside of `cards` count as if the node had none of them.
Refusal CheckShare(const NodeState& node, const model::ContainerDemand& share, int max_sharers,
                   topology::CardSet cards = kEveryCard);

// The share's cards out of `cards` by the policy's rank, ties to the lowest index; 0 when it does
// not fit.
topology::CardSet ChooseShare(const NodeState& node, const Ask& ask,
                              const model::ContainerDemand& share, int max_sharers,
                              const Policy& policy, topology::CardSet cards = kEveryCard);

}  // namespace aliquot::scoring
