// SPDX-License-Identifier: Apache-2.0
#pragma once

// Exact search with backtracking for a pod with several GPU containers on one node, bounded by
// steps. Pure, thread-safe: all its state is on the stack of the call.

#include "model/demand.h"
#include "scoring/placement_order.h"
#include "scoring/pod_layout.h"
#include "scoring/policy.h"

namespace aliquot::scoring {

enum class SearchEnd { kFound, kNone, kOutOfSteps };

struct SearchResult {
  SearchEnd end = SearchEnd::kNone;
  int steps = 0;  // cards tried
};

// Lays every container of the layout's pod, or none of them. kFound: the layout holds the answer,
// the first one in the policy's order (cards that add least to the pod's own peak first, so that an
// init container and an app container share a card). kNone is proven. Takes at most `max_steps`.
SearchResult SearchExact(PodLayout& layout, const Ask& ask, const PlacementOrder& order,
                         const Policy& policy, int max_steps);

}  // namespace aliquot::scoring
