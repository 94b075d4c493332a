// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string_view>

#include "admission/stamp.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/string_map.h"
#include "extender/annotations.h"
#include "ledger/ledger.h"
#include "ledger/pending_pods.h"
#include "observability/decision_log.h"
#include "scoring/placer.h"

namespace aliquot::reconcile {

struct StampLedgerOptions {
  // How long a reservation waits for the watch to show the bind.
  std::chrono::nanoseconds reservation = std::chrono::seconds(15);
};

// Chooses cards for a Binding that somebody else posts. Reserves only for a pod that our watch
// knows as an unbound GPU pod, and once a pod: whoever posts Bindings that the API server then
// refuses can hold cards back for one reservation, not for ever. A Binding past that is left to the
// late stamp. Thread-safe; no I/O.
class StampLedger final : public admission::StampLedger {
 public:
  StampLedger(ledger::Ledger& ledger, const ledger::PendingPods& pending,
              const scoring::Placer& placer, const Clock& clock, observability::DecisionLog& log,
              const extender::AnnotationOptions& annotations, const StampLedgerOptions& options);

  admission::StampDecision Decide(const model::PodKey& pod, std::string_view uid,
                                  std::string_view node, bool dry_run) override;

 private:
  std::shared_ptr<const ledger::PendingPod> FindPod(const model::PodKey& key,
                                                    std::string_view uid) const;
  admission::StampDecision TryOnly(const ledger::PendingPod& pod, std::string_view node) const;
  admission::StampDecision Reserve(const ledger::PendingPod& pod, std::string_view node);
  // The annotations of what was reserved; denied, and nothing kept of a new reservation, when there
  // are none.
  admission::StampDecision Stamped(const ledger::PendingPod& pod,
                                   const ledger::CommitResult& result);
  // False when this pod had its reservation already and it has ended.
  bool MayReserve(const ledger::PendingPod& pod);
  void Record(const ledger::PendingPod& pod, std::string_view node,
              const admission::StampDecision& decision, std::string_view cards) const;

  ledger::Ledger& ledger_;
  const ledger::PendingPods& pending_;
  const scoring::Placer& placer_;
  const Clock& clock_;
  observability::DecisionLog& log_;
  const extender::AnnotationOptions annotation_options_;
  const StampLedgerOptions options_;

  Mutex mutex_;
  StringSet reserved_once_
      GUARDED_BY(mutex_);  // UIDs; those no longer pending are dropped as it grows
  std::size_t sweep_at_ GUARDED_BY(mutex_) = 0;
};

}  // namespace aliquot::reconcile
