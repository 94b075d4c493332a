// SPDX-License-Identifier: Apache-2.0
#pragma once

// The answer when the exact search has no steps left: first fit decreasing. Pure, thread-safe.

#include "scoring/placement_order.h"
#include "scoring/pod_layout.h"

namespace aliquot::scoring {

// Lays the containers in `order`, each on the lowest cards that fit and may keep the company of
// those taken before, the pod's own cards first for an init container; never goes back. False when
// one of them does not fit; the layout is then left half filled. Pre: the layout is empty.
bool PlaceGreedily(PodLayout& layout, const PlacementOrder& order);

}  // namespace aliquot::scoring
