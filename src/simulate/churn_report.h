// SPDX-License-Identifier: Apache-2.0
#pragma once

// What `aliquotctl simulate --churn` prints. Keys and columns: docs/reference/aliquotctl.md. Pure,
// thread-safe.

#include <string>
#include <vector>

#include "simulate/churn.h"

namespace aliquot::simulate {

// One policy over the seeds, in their order.
struct ChurnRuns {
  std::string policy;
  std::vector<ChurnResult> runs;
};

// The first one is the policy asked for, the others are its peers. Pre: not empty, and each has as
// many runs, at least one.
std::string ChurnJson(double load, const std::vector<ChurnRuns>& policies);
std::string ChurnTable(double load, const std::vector<ChurnRuns>& policies);

}  // namespace aliquot::simulate
