// SPDX-License-Identifier: Apache-2.0
#pragma once

// The best set of cards on a node too large for a table. Exact within a bound on steps, and says
// when it was cut short; a pure function of its arguments, thread-safe, no clock.

#include "topology/set_objective.h"

namespace aliquot::topology {

SetChoice ChooseByBranchAndBound(const SetShape& shape, const SetRequest& request, int max_steps);

}  // namespace aliquot::topology
