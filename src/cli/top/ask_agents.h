// SPDX-License-Identifier: Apache-2.0
#pragma once

// Asks the agents of several nodes what is in use, some at a time.

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "base/clock.h"
#include "base/status.h"
#include "cli/agent_proxy.h"
#include "cli/top/usage.h"

namespace aliquot::cli {

// What each node's agent says; an error is why it says nothing.
using NodeUsages = std::map<std::string, Result<NodeUsage>>;

struct AskLimits {
  std::size_t at_a_time = 16;  // the API server dials for each of them
  std::chrono::seconds each{5};
  std::chrono::seconds all{60};  // an agent whose turn has not come by then is not asked
};

// An answer for every node. An error as a whole: whoever was asked refused, for want of a right.
// `told` hears the part that is done, from any thread.
Result<NodeUsages> AskAgents(AgentProxy& proxy, const Clock& clock,
                             const std::set<std::string>& nodes, const AskLimits& limits,
                             const std::function<void(double)>& told);

}  // namespace aliquot::cli
