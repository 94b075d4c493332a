// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace aliquot::agent {

// What /readyz asks: can this agent give out cards just now? A node without a driver is ready: it
// offers nothing and says so elsewhere. Plain values, taken anew for each question.
struct ReadinessFacts {
  bool draining = false;
  bool pods_synced = false;
  bool node_known = false;
  bool registered = false;
  std::string registration_problem;
};

// Every reason why it is not ready, one sentence each; empty when it is. Pure.
std::vector<std::string> ReadinessReasons(const ReadinessFacts& facts);

}  // namespace aliquot::agent
