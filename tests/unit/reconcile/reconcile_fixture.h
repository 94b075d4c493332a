// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "observability/log.h"
#include "program/work_queue.h"
#include "reconcile/late_stamp.h"
#include "reconcile/observer.h"
#include "reconcile/pod_follower.h"
#include "reconcile/pod_intake.h"
#include "reconcile/pod_reporter.h"
#include "reconcile/sync_state.h"
#include "tests/unit/extender/bind_fixture.h"

namespace aliquot::reconcile {

using extender::NodeOf;
using extender::PodOf;

// Everything that follows the cluster, wired as in the allocator, but for the queue's thread: a
// test runs what is due by Work().
class ReconcileFixture : public extender::BindFixture {
 protected:
  // What the watch delivers: the pod as the cluster has it now.
  void Show(const model::PodKey& key) { observer_.PodSeen(*cluster_.Find(key)); }
  // Puts the pod into the cluster and shows it.
  void AddAndShow(const model::Pod& pod) {
    cluster_.AddPod(pod);
    Show(pod.key);
  }
  int Work() { return queue_.RunDue(); }
  int WorkAfter(std::chrono::nanoseconds wait) {
    clock_.Advance(wait);
    return Work();
  }
  bool Holds(const model::Pod& pod) const { return ledger_.FindHold(pod.uid).has_value(); }
  std::vector<std::string> EventReasons() const {
    std::vector<std::string> reasons;
    for (const model::PodEvent& event : cluster_.events()) {
      reasons.push_back(event.reason);
    }
    return reasons;
  }

  observability::NullLog text_log_;
  program::WorkQueue queue_{clock_, program::WorkQueueOptions()};
  PodReporter reporter_{queue_, cluster_, clock_, metrics_, text_log_};
  LateStamp late_stamp_{ledger_,   cluster_, queue_,
                        reporter_, names_,   clock_,
                        metrics_,  log_,     extender::AnnotationOptions()};
  PodIntake intake_{ledger_, pending_, *desk_, late_stamp_, reporter_, names_};
  PodFollower follower_{ledger_, cluster_, queue_, intake_};
  SyncState sync_;
  ledger::DisruptionBudgets budgets_;
  Observer observer_{ledger_, follower_, late_stamp_, budgets_, sync_};
};

// The pod as it is after our own bind to the first card of the node.
model::Pod BoundByUs(model::Pod pod, const std::string& node, int core, std::int64_t mib);

}  // namespace aliquot::reconcile
