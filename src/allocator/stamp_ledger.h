// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "admission/stamp.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/string_map.h"
#include "extender/annotations.h"
#include "ledger/ledger.h"
#include "ledger/pending_pods.h"
#include "scoring/placer.h"

namespace aliquot::allocator {

// Reserves cards for a Binding that somebody else posts: only for a UID that our watch knows as an
// unbound GPU pod, once, and for a limited time: what the watch does not confirm by then is given
// back. So nobody who may post Bindings can block cards for longer, or for pods that do not exist.
// A pod whose reservation ran out is not stamped again here; the late stamp takes it when the watch
// shows it bound.
//
// Thread-safe; no I/O. Everything referred to must outlive it.
class PendingStampLedger final : public admission::StampLedger {
 public:
  PendingStampLedger(ledger::Ledger& ledger, const ledger::PendingPods& pending,
                     const scoring::Placer& placer, const Clock& clock,
                     const extender::AnnotationOptions& annotations,
                     std::chrono::nanoseconds reservation)
      : ledger_(ledger),
        pending_(pending),
        placer_(placer),
        clock_(clock),
        annotation_options_(annotations),
        reservation_(reservation) {}

  admission::StampDecision Decide(const model::PodKey& pod, std::string_view uid,
                                  std::string_view node, bool dry_run) override;

 private:
  admission::StampDecision TryOut(const ledger::PendingPod& pod, std::string_view node) const;
  admission::StampDecision Reserve(const ledger::PendingPod& pod, std::string_view node);
  bool ReservedBefore(const std::string& uid);
  void Remember(const std::string& uid);

  ledger::Ledger& ledger_;
  const ledger::PendingPods& pending_;
  const scoring::Placer& placer_;
  const Clock& clock_;
  const extender::AnnotationOptions annotation_options_;
  const std::chrono::nanoseconds reservation_;

  Mutex mutex_;
  StringSet reserved_once_ GUARDED_BY(mutex_);
};

}  // namespace aliquot::allocator
