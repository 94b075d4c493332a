// SPDX-License-Identifier: Apache-2.0
#include "reconcile/pod_intake.h"

#include <utility>

#include "model/demand.h"

namespace aliquot::reconcile {

using ledger::PodEffect;

bool PodIntake::Seen(const model::Pod& pod) {
  if (pod.asks_for_gpu() && !pod.finished()) {
    on_seen_(pod);
  }
  const ledger::PodChange change = TellLedger(pod);
  KeepPending(pod);
  if (!pod.node_name.empty()) {
    desk_.PodSeenBound(pod.uid, pod.node_name);
  } else if (pod.finished()) {
    desk_.PodGone(pod.uid);
  }
  // After the desk: a bind that ends now leaves its reservation to the late stamp.
  if (change.effect == PodEffect::kNeedsStamp) {
    late_stamp_.Needs(pod);
  } else if (change.effect != PodEffect::kNone || pod.finished()) {
    late_stamp_.Forget(pod.uid);
  }
  if (change.effect == PodEffect::kFreed) {
    late_stamp_.NodeChanged(pod.node_name);
  }
  reporter_.Report(pod, change);
  return change.effect == PodEffect::kPending || change.effect == PodEffect::kNeedsStamp ||
         change.effect == PodEffect::kNotReadable;
}

ledger::PodChange PodIntake::TellLedger(const model::Pod& pod) {
  ledger::PodChange change = ledger_.SetPod(pod);
  // A container runs by now and nobody knows on which card: cards chosen for it are not the ones it
  // uses, so its reservation ends and its node closes.
  if (change.effect == PodEffect::kNeedsStamp && pod.phase != model::PodPhase::kPending) {
    ledger_.Release(pod.uid);
    change = ledger_.SetPod(pod);
  }
  return change;
}

void PodIntake::KeepPending(const model::Pod& pod) {
  const bool waits = pod.node_name.empty() && !pod.finished() && pod.asks_for_gpu();
  Result<model::PodDemand> demand =
      waits ? model::DemandOf(pod, names_) : Result<model::PodDemand>(model::PodDemand());
  if (!waits || !demand.ok() || demand->empty()) {
    pending_.Remove(pod.uid);
    return;
  }
  ledger::PendingPod known;
  known.key = pod.key;
  known.uid = pod.uid;
  known.demand = *std::move(demand);
  known.tolerates_cordon = pod.tolerates_cordon;
  known.priority = pod.priority;
  pending_.Watched(std::move(known));
}

void PodIntake::Gone(std::string_view uid, std::string_view node) {
  ledger_.RemovePod(uid);
  pending_.Remove(uid);
  desk_.PodGone(uid);
  late_stamp_.Forget(uid);
  if (!node.empty()) {
    late_stamp_.NodeChanged(node);
  }
  reporter_.Forget(uid);
}

}  // namespace aliquot::reconcile
