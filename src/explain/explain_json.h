// SPDX-License-Identifier: Apache-2.0
#pragma once

// A report as JSON, for `/explain` and for the command line. Keys are stable: new ones may be
// added, none is renamed. Pure, thread-safe.

#include <string>

#include "explain/explain.h"

namespace aliquot::explain {

// {
//   "summary": "1/2 nodes fit, the best is a: 1 not enough idle GPUs",
//   "policy": "composite",
//   "nodes_total": 2, "nodes_fitting": 1, "nodes_cut_short": 0,
//   "best_node": "a",                      null when none fits
//   "reasons": [{"reason": "too_few_idle_cards", "sentence": "..", "nodes": 1,
//                "could_fit_later": true}],
//   "asked": [{"container": "main", "kind": "app",     app, init or sidecar
//              "cards": 1, "core": 20, "mib": 3840, "whole": false}],
//   "nodes": [{
//     "name": "a", "fits": true,
//     "reason": "none", "sentence": "the pod fits", "could_fit_later": true,
//     "cut_short": false,
//     "detail": "",                        what is wrong with an unreadable inventory
//     "cards": 8, "usable_cards": 8, "idle_cards": 3,
//     "largest_core_free": 100, "largest_mib_free": 16384,
//     "rank": -1550, "score": [{"term": "core_left", "value": -800}, ..],   only when it fits
//     "containers": [{"container": "main", "cards": [                       only when it fits
//       {"minor": 3, "uuid": "GPU-..",
//        "score": [{"term": .., "value": ..}]}]}]                           of shares only
//   }]
// }
// `indent`: spaces a level; -1 = one line. Bytes that are no UTF-8 are replaced.
std::string ToJson(const Report& report, const model::PodDemand& demand, int indent = -1);

}  // namespace aliquot::explain
