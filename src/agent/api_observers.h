// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "agent/usage/agent_metrics.h"
#include "kubeclient/cluster_writer.h"
#include "kubeclient/list_watch.h"
#include "observability/log.h"

namespace aliquot::agent {

// Turns what the API client tells of itself into metrics and log lines. Thread-safe; metrics and
// log must outlive them.

class WatchObserver final : public kubeclient::ListWatchObserver {
 public:
  WatchObserver(AgentMetrics& metrics, observability::Log& log) : metrics_(metrics), log_(log) {}

  void Listed(std::string_view resource, std::size_t objects,
              std::chrono::nanoseconds took) override;
  void Heard(std::string_view) override {}
  void WatchRestarted(std::string_view resource, std::string_view reason) override;
  void Relisting(std::string_view resource, std::string_view reason) override;
  void Failed(std::string_view resource, const Status& problem) override;

 private:
  AgentMetrics& metrics_;
  observability::Log& log_;
};

class NodeWriteMetrics final : public kubeclient::ApiCallObserver {
 public:
  explicit NodeWriteMetrics(AgentMetrics& metrics) : metrics_(metrics) {}
  void Called(const kubeclient::ApiVerb& verb, model::WriteOutcome outcome,
              std::chrono::nanoseconds took) override;

 private:
  AgentMetrics& metrics_;
};

}  // namespace aliquot::agent
