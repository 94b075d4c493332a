// SPDX-License-Identifier: Apache-2.0
#include "allocator/stamp_ledger.h"

#include <optional>
#include <utility>

#include "scoring/refusal.h"

namespace aliquot::allocator {
namespace {

using admission::StampDecision;
using ledger::CommitOutcome;

// UIDs remembered; past it those of pods that are not pending any more are forgotten.
constexpr std::size_t kMostRemembered = 4096;

StampDecision NotOurs() { return {}; }

StampDecision Denied(std::string_view reason) {
  StampDecision decision;
  decision.outcome = StampDecision::Outcome::kDenied;
  decision.reason = std::string(reason);
  return decision;
}

}  // namespace

StampDecision PendingStampLedger::Decide(const model::PodKey& pod, std::string_view uid,
                                         std::string_view node, bool dry_run) {
  const auto pending = uid.empty() ? pending_.FindKey(pod) : pending_.FindUid(uid);
  if (pending == nullptr || !pending->watched || !(pending->key == pod)) {
    return NotOurs();
  }
  return dry_run ? TryOut(*pending, node) : Reserve(*pending, node);
}

// Nothing is written in a dry run, so a pod that fits needs no annotations.
StampDecision PendingStampLedger::TryOut(const ledger::PendingPod& pod,
                                         std::string_view node) const {
  const auto snapshot = ledger_.Read();
  scoring::NodeState state;
  if (!snapshot->Find(node, &state)) {
    return Denied(scoring::RefusalSentence(scoring::Refusal::kUnknownNode));
  }
  scoring::StepBudget budget(placer_.options());
  const scoring::Verdict verdict = placer_.Check(state, pod.demand, true, budget);
  return verdict.fits() ? NotOurs() : Denied(scoring::RefusalSentence(verdict.refusal));
}

bool PendingStampLedger::ReservedBefore(const std::string& uid) {
  MutexLock lock(mutex_);
  return reserved_once_.contains(uid);
}

void PendingStampLedger::Remember(const std::string& uid) {
  MutexLock lock(mutex_);
  if (reserved_once_.size() >= kMostRemembered) {
    StringSet still_pending;
    for (const std::string& each : reserved_once_) {
      if (pending_.FindUid(each) != nullptr) {
        still_pending.insert(each);
      }
    }
    reserved_once_ = std::move(still_pending);
  }
  reserved_once_.insert(uid);
}

StampDecision PendingStampLedger::Reserve(const ledger::PendingPod& pod, std::string_view node) {
  // A hold that stands is told again.
  if (!ledger_.FindHold(pod.uid) && ReservedBefore(pod.uid)) {
    return NotOurs();
  }
  ledger::CommitRequest request;
  request.key = pod.key;
  request.uid = pod.uid;
  request.node = std::string(node);
  request.demand = pod.demand;
  request.expires =
      clock_.SteadyNow() + std::chrono::duration_cast<SteadyTime::duration>(reservation_);
  const ledger::CommitResult result = ledger_.Commit(request);
  switch (result.outcome) {
    case CommitOutcome::kReserved:
      Remember(pod.uid);
      [[fallthrough]];
    case CommitOutcome::kAlreadyHeld: {
      StampDecision decision;
      decision.outcome = StampDecision::Outcome::kAnnotations;
      decision.annotations = extender::AllocationAnnotations(
          result.allocation, pod.demand, result.minors, clock_.SystemNow(), annotation_options_);
      return decision;
    }
    case CommitOutcome::kHeldElsewhere:
      return Denied("the pod's cards are reserved on another node");
    case CommitOutcome::kInProgress:
      return Denied("the pod is being bound at this moment; try again");
    case CommitOutcome::kRefused:
      break;
  }
  return Denied(scoring::RefusalSentence(result.refusal));
}

}  // namespace aliquot::allocator
