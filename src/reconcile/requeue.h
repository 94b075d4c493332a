// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/string_map.h"
#include "ledger/ledger.h"
#include "ledger/pending_pods.h"
#include "model/cluster.h"
#include "observability/log.h"
#include "program/work_queue.h"
#include "scoring/placer.h"

namespace aliquot::reconcile {

// Has kube-scheduler look again at a pod that it asked about a moment too early.
//
// kube-scheduler and we follow the same events by two connections. When a pod ends, it tries the
// waiting pods within a millisecond, and when its request is here before our own event, filter
// answers from the old state. Nothing would wake such a pod again: without another event it stays
// pending for five minutes. A reservation that ends without any event is the same. So when room
// appears on a node, pods that filter refused shortly before are remembered; one that was not asked
// about since and that fits there now gets an annotation, and the update wakes it, and only it.
//
// Thread-safe. Writes go by the work queue. Everything referred to must outlive it.
class Requeue {
 public:
  Requeue(const ledger::Ledger& ledger, const ledger::PendingPods& pending,
          const scoring::Placer& placer, model::ClusterWriter& writer, program::WorkQueue& queue,
          const Clock& clock, observability::Log& log);

  // Cards of this node became free, or the node changed. Does no I/O.
  void RoomMade(std::string_view node);

 private:
  struct Waiting {
    SteadyTime room_at;  // the last time that room was made for it
    StringSet nodes;
  };

  program::WorkQueue::Outcome Attempt(const std::string& uid);
  bool FitsOnOne(const ledger::PendingPod& pod, const StringSet& nodes) const;

  const ledger::Ledger& ledger_;
  const ledger::PendingPods& pending_;
  const scoring::Placer& placer_;
  model::ClusterWriter& writer_;
  program::WorkQueue& queue_;
  const Clock& clock_;
  observability::Log& log_;

  Mutex mutex_;
  StringMap<Waiting> waiting_ GUARDED_BY(mutex_);  // by UID
};

}  // namespace aliquot::reconcile
