// SPDX-License-Identifier: Apache-2.0
#pragma once

// Pure, thread-safe.

#include "scoring/node_state.h"
#include "scoring/outlook.h"

namespace aliquot::scoring {

// Counts a node in. Its processor counts only where it has cards of ours and says what it has:
// elsewhere pods without GPU take none from those with.
void AddNode(const NodeState& node, ClusterFigures& figures);

}  // namespace aliquot::scoring
