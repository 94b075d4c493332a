// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/string_map.h"
#include "extender/annotations.h"
#include "ledger/ledger.h"
#include "model/cluster.h"
#include "model/demand.h"
#include "model/names.h"
#include "observability/decision_log.h"
#include "observability/metrics.h"
#include "program/work_queue.h"
#include "reconcile/pod_reporter.h"

namespace aliquot::reconcile {

// Gives cards to pods that somebody else bound and that have no record: chooses them on the pod's
// node by Ledger::Commit and writes them onto the pod. Where the node has no room the pod gets the
// condition aliquot.io/GpuAllocated=False and one event, and is tried again when the node changes,
// at most once a second and with growing pauses; never over-booked. Thread-safe. Everything
// referred to must outlive it.
class LateStamp {
 public:
  LateStamp(ledger::Ledger& ledger, model::ClusterWriter& writer, program::WorkQueue& queue,
            PodReporter& reporter, const model::ResourceNames& names, const Clock& clock,
            observability::Metrics& metrics, observability::DecisionLog& log,
            const extender::AnnotationOptions& annotations);

  // The ledger says that this bound pod needs its stamp.
  void Needs(const model::Pod& pod);
  // The pod is counted, finished or gone.
  void Forget(std::string_view uid);
  // The node, or what is held there, changed.
  void NodeChanged(std::string_view node);

  std::size_t waiting() const;

 private:
  struct Waiting {
    model::PodKey key;
    std::string uid;
    std::string node;
    model::PodDemand demand;
    std::int64_t priority = 0;
    // The last refusal that was written on the pod; kNone: none was.
    scoring::Refusal told = scoring::Refusal::kNone;
    SteadyTime told_at;
  };

  void Schedule(const std::string& uid, std::chrono::nanoseconds delay);
  program::WorkQueue::Outcome Attempt(const std::string& uid);
  program::WorkQueue::Outcome Write(const Waiting& pod, const ledger::CommitResult& result);
  void TellNoRoom(const Waiting& pod, scoring::Refusal refusal);
  void Record(const Waiting& pod, std::string_view outcome, std::string_view reason,
              std::string_view cards) const;

  ledger::Ledger& ledger_;
  model::ClusterWriter& writer_;
  program::WorkQueue& queue_;
  PodReporter& reporter_;
  const model::ResourceNames names_;
  const Clock& clock_;
  observability::Metrics& metrics_;
  observability::DecisionLog& log_;
  const extender::AnnotationOptions annotation_options_;

  mutable Mutex mutex_;
  StringMap<Waiting> pods_ GUARDED_BY(mutex_);
  StringMap<StringSet> uids_by_node_ GUARDED_BY(mutex_);
};

}  // namespace aliquot::reconcile
