// SPDX-License-Identifier: Apache-2.0
#pragma once

// What pods take of a node's cards, by card index. Pure.

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "model/demand.h"
#include "model/inventory.h"
#include "model/peak.h"
#include "scoring/card_state.h"

namespace aliquot::ledger {

using CardUses = std::vector<std::pair<int, model::CardUse>>;  // cards not touched are left out

// Sums of other people's over-booking may exceed what a CardState holds; "full" is all that matters
// then.
template <typename To, typename From>
To Clamped(From value) {
  return static_cast<To>(std::min<From>(value, std::numeric_limits<To>::max()));
}

// What the demand takes on these cards.
CardUses UsesOf(const model::PodDemand& demand, const model::CardsOfContainers& cards,
                const model::Inventory& inventory);
// Adds the uses to the sums of all cards, or takes them off (`sign` -1).
void AddUses(const CardUses& uses, int sign, std::vector<model::CardUse>& sums);
// As a policy sees it.
void ShowUse(const model::CardUse& use, scoring::CardState& card);

}  // namespace aliquot::ledger
