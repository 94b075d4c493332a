// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/why/evidence.h"

namespace aliquot::cli {

// "a, b, c and 4 more".
std::string SomeOf(const std::vector<std::string>& names);

// The line for a GPU pod that no node could hold which it may use, by `evidence.report` and
// `allowed`. Pure.
WhyAnswer NoCards(const PodEvidence& evidence);

// "fragmented: 12 % and 3072 MiB are free in sum on node a, but 40 % and .."; "" when no node of
// the report is refused for that. `all`: the report is of every node there is.
std::string FragmentedSentence(const explain::Report& report,
                               const std::vector<scoring::NodeState>& nodes,
                               const model::PodDemand& demand, bool all);

}  // namespace aliquot::cli
