// SPDX-License-Identifier: Apache-2.0
#include "agent/api_observers.h"

namespace aliquot::agent {

void WatchObserver::Listed(std::string_view resource, std::size_t objects,
                           std::chrono::nanoseconds /*took*/) {
  log_.Info("agent", "listed",
            {{"resource", resource}, {"objects", static_cast<std::int64_t>(objects)}});
}

void WatchObserver::WatchRestarted(std::string_view resource, std::string_view reason) {
  metrics_.CountWatchRestart(resource);
  log_.Debug("agent", "watch restarted", {{"resource", resource}, {"reason", reason}});
}

void WatchObserver::Relisting(std::string_view resource, std::string_view reason) {
  log_.Info("agent", "listing again", {{"resource", resource}, {"reason", reason}});
}

void WatchObserver::Failed(std::string_view resource, const Status& problem) {
  metrics_.CountWatchRestart(resource);
  log_.Warn("agent", "API server not reached",
            {{"resource", resource}, {"problem", problem.message()}});
}

void NodeWriteMetrics::Called(const kubeclient::ApiVerb& verb, model::WriteOutcome outcome,
                              std::chrono::nanoseconds /*took*/) {
  if (verb.verb == "patch") {
    metrics_.CountWrite(AgentWrite::kNodePatch, outcome);
  }
}

}  // namespace aliquot::agent
