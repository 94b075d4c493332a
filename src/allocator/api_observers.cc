// SPDX-License-Identifier: Apache-2.0
#include "allocator/api_observers.h"

#include <optional>

namespace aliquot::allocator {
namespace {

using observability::ApiOutcome;
using observability::ApiWrite;
using observability::WatchedResource;

// The scan of unlabelled pods and other helpers count for no watch.
std::optional<WatchedResource> ResourceOf(std::string_view resource) {
  if (resource == "pods") {
    return WatchedResource::kPods;
  }
  if (resource == "nodes") {
    return WatchedResource::kNodes;
  }
  if (resource == "poddisruptionbudgets") {
    return WatchedResource::kDisruptionBudgets;
  }
  return std::nullopt;
}

std::optional<ApiWrite> WriteOf(const kubeclient::ApiVerb& verb) {
  if (verb == kubeclient::kBindPod) {
    return ApiWrite::kBinding;
  }
  if (verb == kubeclient::kPatchPod) {
    return ApiWrite::kPodPatch;
  }
  if (verb == kubeclient::kPatchPodStatus) {
    return ApiWrite::kPodCondition;
  }
  if (verb == kubeclient::kCreateEvent) {
    return ApiWrite::kEvent;
  }
  return std::nullopt;
}

ApiOutcome OutcomeOf(model::WriteOutcome outcome) {
  switch (outcome) {
    case model::WriteOutcome::kDone:
      return ApiOutcome::kDone;
    case model::WriteOutcome::kNotFound:
      return ApiOutcome::kNotFound;
    case model::WriteOutcome::kConflict:
      return ApiOutcome::kConflict;
    case model::WriteOutcome::kRefused:
      return ApiOutcome::kRefused;
    case model::WriteOutcome::kUnknown:
      break;
  }
  return ApiOutcome::kUnknown;
}

}  // namespace

void WatchObserver::SetReachable(std::string_view resource, bool reachable) {
  if (resource == "poddisruptionbudgets") {
    return;  // a role that lacks them says nothing about the API server, and preemption works on
  }
  std::atomic<bool>& mine = resource == "nodes" ? nodes_reachable_ : pods_reachable_;
  if (mine.exchange(reachable, std::memory_order_relaxed) != reachable) {
    metrics_.SetDegraded(observability::Degraded::kApiServerUnreachable,
                         !pods_reachable_.load(std::memory_order_relaxed) ||
                             !nodes_reachable_.load(std::memory_order_relaxed));
  }
}

void WatchObserver::Listed(std::string_view resource, std::size_t objects,
                           std::chrono::nanoseconds took) {
  SetReachable(resource, true);
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(took).count();
  log_.Info("kubeclient", "listed",
            {{"resource", resource},
             {"objects", static_cast<std::int64_t>(objects)},
             {"milliseconds", static_cast<std::int64_t>(milliseconds)}});
}

void WatchObserver::Heard(std::string_view resource) {
  SetReachable(resource, true);
  if (const auto watched = ResourceOf(resource)) {
    metrics_.WatchHeard(*watched);
  }
}

void WatchObserver::WatchRestarted(std::string_view resource, std::string_view reason) {
  if (const auto watched = ResourceOf(resource)) {
    metrics_.CountWatchRestart(*watched);
  }
  log_.Debug("kubeclient", "watch restarted", {{"resource", resource}, {"reason", reason}});
}

void WatchObserver::Relisting(std::string_view resource, std::string_view reason) {
  if (const auto watched = ResourceOf(resource)) {
    metrics_.CountRelist(*watched);
  }
  log_.Info("kubeclient", "listing anew", {{"resource", resource}, {"reason", reason}});
}

void WatchObserver::Failed(std::string_view resource, const Status& problem) {
  SetReachable(resource, false);
  log_.Warn("kubeclient", "the API server could not be read",
            {{"resource", resource}, {"reason", problem.message()}});
}

void ApiCallMetrics::Called(const kubeclient::ApiVerb& verb, model::WriteOutcome outcome,
                            std::chrono::nanoseconds took) {
  if (const auto write = WriteOf(verb)) {
    metrics_.CountApiWrite(*write, OutcomeOf(outcome), took);
  }
}

}  // namespace aliquot::allocator
