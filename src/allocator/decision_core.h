// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "admission/mutate.h"
#include "allocator/configuration.h"
#include "allocator/readiness.h"
#include "base/clock.h"
#include "extender/bind.h"
#include "extender/bind_desk.h"
#include "extender/filter.h"
#include "extender/preempt.h"
#include "extender/prioritize.h"
#include "ledger/disruption_budgets.h"
#include "ledger/ledger.h"
#include "ledger/pending_pods.h"
#include "model/cluster.h"
#include "observability/decision_log.h"
#include "observability/log.h"
#include "observability/metrics.h"
#include "program/work_queue.h"
#include "reconcile/late_stamp.h"
#include "reconcile/observer.h"
#include "reconcile/pod_follower.h"
#include "reconcile/pod_intake.h"
#include "reconcile/pod_reporter.h"
#include "reconcile/requeue.h"
#include "reconcile/stamp_ledger.h"
#include "reconcile/sync_state.h"
#include "scoring/mix_learner.h"
#include "scoring/placer.h"
#include "topology/node_topology.h"
#include "translate/translate.h"

namespace aliquot::allocator {

// Where the program's parts write what they do.
struct Instruments {
  const Clock& clock;
  observability::Metrics& metrics;
  observability::Log& log;
  observability::DecisionLog& decisions;
};

// Everything between the cluster and the verbs: the ledger, those who feed it, and those who ask
// it. Only wires; knows no socket. Thread-safe once built. Cluster and instruments must outlive it.
class DecisionCore {
 public:
  // `signer` may be null: records carry no signature. Else it must outlive the core too.
  DecisionCore(const Configuration& configuration, model::ClusterWriter& writer,
               const Instruments& instruments, const signing::Signer* signer);
  // Call Stop first.
  ~DecisionCore() = default;
  DecisionCore(const DecisionCore&) = delete;
  DecisionCore& operator=(const DecisionCore&) = delete;

  // Starts the thread of late work; the cluster may be heard from now on.
  void Start() { queue_.Start(); }
  // What falls due by the clock: to be called every 100 ms.
  void Tick();
  // Brings the gauges up to date. Also part of Tick, now and then.
  void RefreshFigures();
  // Ends the binds and the late work. Pre: no verb runs and the observer is called no more.
  void Stop();

  model::ClusterObserver& observer() { return observer_; }
  Readiness& readiness() { return readiness_; }
  const ledger::Ledger& ledger() const { return ledger_; }
  const ledger::PendingPods& pending() const { return pending_; }
  const scoring::Placer& placer() const { return placer_; }

  extender::Filter& filter() { return filter_; }
  extender::Prioritize& prioritize() { return prioritize_; }
  extender::Bind& bind() { return bind_; }
  extender::Preempt& preempt() { return preempt_; }
  const admission::MutateOptions& mutate_options() const { return mutate_options_; }
  const translate::TranslateOptions& translate_options() const { return translate_options_; }
  const std::vector<std::string>& scheduler_users() const { return scheduler_users_; }
  admission::StampLedger& stamp_ledger() { return stamp_ledger_; }

 private:
  void FollowTheMix();
  void RenewOutlook();

  const Instruments instruments_;
  const model::ResourceNames names_;
  scoring::Placer placer_;
  topology::Catalog catalog_;
  ledger::Ledger ledger_;
  ledger::PendingPods pending_;
  ledger::DisruptionBudgets budgets_;

  program::WorkQueue queue_;
  extender::BindDesk desk_;
  reconcile::PodReporter reporter_;
  reconcile::LateStamp late_stamp_;
  reconcile::Requeue requeue_;
  reconcile::PodIntake intake_;
  reconcile::PodFollower follower_;
  reconcile::SyncState sync_;
  reconcile::Observer observer_;
  Readiness readiness_;

  extender::NodeJudge judge_;
  scoring::MixLearner learner_;
  extender::Filter filter_;
  extender::Prioritize prioritize_;
  extender::Bind bind_;
  extender::Preempt preempt_;
  reconcile::StampLedger stamp_ledger_;
  admission::MutateOptions mutate_options_;
  const std::vector<std::string> scheduler_users_;
  translate::TranslateOptions translate_options_;

  // 0 while no card is known.
  std::atomic<std::int64_t> largest_card_mib_{0};
  int ticks_ = 0;  // of the one thread that ticks
};

}  // namespace aliquot::allocator
