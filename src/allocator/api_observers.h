// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <string_view>

#include "kubeclient/cluster_writer.h"
#include "kubeclient/list_watch.h"
#include "observability/log.h"
#include "observability/metrics.h"

namespace aliquot::allocator {

// Turns what the API client tells of itself into metrics and log lines. Thread-safe; metrics and
// log must outlive them.

class WatchObserver final : public kubeclient::ListWatchObserver {
 public:
  WatchObserver(observability::Metrics& metrics, observability::Log& log)
      : metrics_(metrics), log_(log) {}

  void Listed(std::string_view resource, std::size_t objects,
              std::chrono::nanoseconds took) override;
  void Heard(std::string_view resource) override;
  void WatchRestarted(std::string_view resource, std::string_view reason) override;
  void Relisting(std::string_view resource, std::string_view reason) override;
  void Failed(std::string_view resource, const Status& problem) override;

 private:
  // Unreachable while either resource's last word was a failure.
  void SetReachable(std::string_view resource, bool reachable);

  observability::Metrics& metrics_;
  observability::Log& log_;
  std::atomic<bool> pods_reachable_{true};
  std::atomic<bool> nodes_reachable_{true};
};

class ApiCallMetrics final : public kubeclient::ApiCallObserver {
 public:
  explicit ApiCallMetrics(observability::Metrics& metrics) : metrics_(metrics) {}
  void Called(const kubeclient::ApiVerb& verb, model::WriteOutcome outcome,
              std::chrono::nanoseconds took) override;

 private:
  observability::Metrics& metrics_;
};

}  // namespace aliquot::allocator
