// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "extender/bind_desk.h"
#include "ledger/ledger.h"
#include "ledger/pending_pods.h"
#include "model/names.h"
#include "model/pod.h"
#include "reconcile/late_stamp.h"
#include "reconcile/pod_reporter.h"

namespace aliquot::reconcile {

// What one state of a pod means for everything that follows pods: the ledger first, then the
// pending pods, the binds on their way, the late stamp and the reports. Does no I/O. Not
// thread-safe: the states of a pod must be given in the order in which they came to be, so the
// caller keeps one lock over it.
class PodIntake {
 public:
  PodIntake(ledger::Ledger& ledger, ledger::PendingPods& pending, extender::BindDesk& desk,
            LateStamp& late_stamp, PodReporter& reporter, const model::ResourceNames& names)
      : ledger_(ledger),
        pending_(pending),
        desk_(desk),
        late_stamp_(late_stamp),
        reporter_(reporter),
        names_(names) {}

  // Calls `listener` with each state of a pod that asks for cards. To be set before any is seen.
  void OnSeen(std::function<void(const model::Pod&)> listener) { on_seen_ = std::move(listener); }

  // True when it is to be followed although the ledger holds nothing bound for it.
  bool Seen(const model::Pod& pod);
  // It is gone from the cluster, for certain. `node`: where it was, "" if unknown.
  void Gone(std::string_view uid, std::string_view node);

 private:
  ledger::PodChange TellLedger(const model::Pod& pod);
  void KeepPending(const model::Pod& pod);

  ledger::Ledger& ledger_;
  ledger::PendingPods& pending_;
  extender::BindDesk& desk_;
  LateStamp& late_stamp_;
  PodReporter& reporter_;
  const model::ResourceNames names_;
  std::function<void(const model::Pod&)> on_seen_ = [](const model::Pod&) {};
};

}  // namespace aliquot::reconcile
