// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/string_map.h"
#include "ledger/ledger.h"
#include "model/cluster.h"
#include "model/pod.h"
#include "observability/log.h"
#include "observability/metrics.h"
#include "observability/repeat_limiter.h"
#include "program/work_queue.h"

namespace aliquot::reconcile {

// Tells about bound pods whose record is damaged, missing or changed, once a pod and problem: a
// metric, a log line and an event on the pod. Events of one kind are limited to 20 a minute, so
// that a thousand damaged records do not become a thousand writes. Thread-safe; events go out by
// the work queue.
class PodReporter {
 public:
  PodReporter(program::WorkQueue& queue, model::ClusterWriter& writer, const Clock& clock,
              observability::Metrics& metrics, observability::Log& log);

  // Effects that report nothing are ignored.
  void Report(const model::Pod& pod, const ledger::PodChange& change);
  // Filter refused a pod that some node holds in sum, not on one card: why no priority of it makes
  // kube-scheduler evict anybody there. Only for a pod that could preempt.
  void ReportFitsInSumOnly(const model::Pod& pod);
  // The pod is gone: forgets what was told about it.
  void Forget(std::string_view uid);

  // An event by the same limit, for the other parts of this room.
  void Post(model::PodEvent event);

 private:
  bool FirstTime(std::string_view uid, unsigned bit);

  program::WorkQueue& queue_;
  model::ClusterWriter& writer_;
  observability::Metrics& metrics_;
  observability::Log& log_;
  observability::RepeatLimiter limiter_;
  Mutex mutex_;
  StringMap<unsigned> told_ GUARDED_BY(mutex_);  // by UID: one bit an effect
};

}  // namespace aliquot::reconcile
