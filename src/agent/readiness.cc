// SPDX-License-Identifier: Apache-2.0
#include "agent/readiness.h"

namespace aliquot::agent {

std::vector<std::string> ReadinessReasons(const ReadinessFacts& facts) {
  std::vector<std::string> reasons;
  if (facts.draining) {
    reasons.emplace_back("the agent is ending");
  }
  if (!facts.node_known) {
    reasons.emplace_back(
        "this node's object has not been read from the API server yet; see the log for why");
  }
  if (!facts.pods_synced) {
    reasons.emplace_back(
        "the pods of this node have not been read from the API server yet; see the log for why");
  }
  if (!facts.registered) {
    reasons.push_back(
        "the kubelet does not listen to our devices yet" +
        (facts.registration_problem.empty() ? std::string() : ": " + facts.registration_problem));
  }
  return reasons;
}

}  // namespace aliquot::agent
