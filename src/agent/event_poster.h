// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "agent/usage/agent_metrics.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "model/cluster.h"
#include "observability/log.h"
#include "observability/repeat_limiter.h"
#include "program/work_queue.h"

namespace aliquot::agent {

// Tells people about pods, by events. The same sentence about the same pod goes out once in ten
// minutes, and events of one reason at most 60 a minute, so that the kubelet's retries and a card
// with a hundred pods do not become a stream of writes. Thread-safe; never blocks: the queue's
// thread writes, and tries again for a while when the API server is away.
class EventPoster {
 public:
  // All must outlive it.
  EventPoster(program::WorkQueue& queue, model::ClusterWriter& writer, AgentMetrics& metrics,
              observability::Log& log, const Clock& clock);

  // `note` is one sentence.
  void Post(const model::PodKey& key, const std::string& uid, bool warning,
            const std::string& reason, const std::string& action, const std::string& note);

 private:
  bool MayTell(const std::string& identity, const std::string& reason);
  void Forget(SteadyTime now) REQUIRES(mutex_);
  program::WorkQueue::Outcome Write(const model::PodEvent& event, SteadyTime give_up);

  program::WorkQueue& queue_;
  model::ClusterWriter& writer_;
  AgentMetrics& metrics_;
  observability::Log& log_;
  const Clock& clock_;
  observability::RepeatLimiter limiter_;
  Mutex mutex_;
  std::map<std::string, SteadyTime> told_ GUARDED_BY(mutex_);
};

}  // namespace aliquot::agent
