// SPDX-License-Identifier: Apache-2.0
#include "reconcile/stamp_ledger.h"

#include <algorithm>
#include <string>
#include <utility>

#include "api/binding_codec.h"
#include "scoring/refusal.h"

namespace aliquot::reconcile {

using admission::StampDecision;
using ledger::CommitOutcome;

namespace {

constexpr std::string_view kElsewhere = "the pod is being bound to another node";
constexpr std::string_view kInProgress = "the pod is being bound at this moment; try again";
constexpr std::size_t kFirstSweep = 1024;

StampDecision NotOurs() { return {}; }

StampDecision Denied(std::string_view reason) {
  StampDecision decision;
  decision.outcome = StampDecision::Outcome::kDenied;
  decision.reason = reason;
  return decision;
}

}  // namespace

StampLedger::StampLedger(ledger::Ledger& ledger, const ledger::PendingPods& pending,
                         const scoring::Placer& placer, const Clock& clock,
                         observability::DecisionLog& log,
                         const extender::AnnotationOptions& annotations,
                         const StampLedgerOptions& options)
    : ledger_(ledger),
      pending_(pending),
      placer_(placer),
      clock_(clock),
      log_(log),
      annotation_options_(annotations),
      options_(options) {}

StampDecision StampLedger::Decide(const model::PodKey& pod, std::string_view uid,
                                  std::string_view node, bool dry_run) {
  const auto known = FindPod(pod, uid);
  if (known == nullptr) {
    return NotOurs();
  }
  return dry_run ? TryOnly(*known, node) : Reserve(*known, node);
}

std::shared_ptr<const ledger::PendingPod> StampLedger::FindPod(const model::PodKey& key,
                                                               std::string_view uid) const {
  auto known = uid.empty() ? pending_.FindKey(key) : pending_.FindUid(uid);
  return known != nullptr && known->watched && known->key == key ? known : nullptr;
}

// Denies what the real Binding would be denied for, now; the cards are chosen only for the real
// one.
StampDecision StampLedger::TryOnly(const ledger::PendingPod& pod, std::string_view node) const {
  if (const auto hold = ledger_.FindHold(pod.uid)) {
    return hold->node == node ? NotOurs() : Denied(kElsewhere);
  }
  const auto snapshot = ledger_.Read();
  scoring::NodeState state;
  if (!snapshot->Find(node, &state)) {
    return Denied(scoring::RefusalSentence(scoring::Refusal::kUnknownNode));
  }
  scoring::StepBudget budget(placer_.options());
  const scoring::Verdict verdict =
      placer_.Check(state, scoring::Ask(pod.demand, true).OfPriority(pod.priority), budget);
  return verdict.fits() ? NotOurs() : Denied(scoring::RefusalSentence(verdict.refusal));
}

StampDecision StampLedger::Reserve(const ledger::PendingPod& pod, std::string_view node) {
  if (!MayReserve(pod)) {
    return NotOurs();
  }
  ledger::CommitRequest request;
  request.key = pod.key;
  request.uid = pod.uid;
  request.node = node;
  request.demand = pod.demand;
  request.tolerates_cordon =
      true;  // whoever binds has chosen the node; only the cards are asked of us
  request.priority = pod.priority;
  request.expires = clock_.SteadyNow() + options_.reservation;
  const ledger::CommitResult result = ledger_.Commit(request);
  StampDecision decision;
  std::string cards;
  switch (result.outcome) {
    case CommitOutcome::kAlreadyHeld:
      if (result.bound) {
        return NotOurs();
      }
      [[fallthrough]];
    case CommitOutcome::kReserved:
      decision = Stamped(pod, result);
      cards = extender::CardsText(pod.demand, result.minors);
      break;
    case CommitOutcome::kHeldElsewhere:
      decision = Denied(kElsewhere);
      break;
    case CommitOutcome::kInProgress:
      decision = Denied(kInProgress);
      break;
    case CommitOutcome::kRefused:
      decision = Denied(scoring::RefusalSentence(result.refusal));
      break;
  }
  if (result.outcome == CommitOutcome::kReserved &&
      decision.outcome == StampDecision::Outcome::kAnnotations) {
    MutexLock lock(mutex_);
    reserved_once_.insert(pod.uid);
  }
  Record(pod, node, decision, cards);
  return decision;
}

StampDecision StampLedger::Stamped(const ledger::PendingPod& pod,
                                   const ledger::CommitResult& result) {
  Result<api::Annotations> annotations = extender::AllocationAnnotations(
      result.allocation, pod.demand, result.minors, clock_.SystemNow(), annotation_options_);
  if (!annotations.ok()) {
    if (result.outcome == CommitOutcome::kReserved) {
      ledger_.Release(pod.uid);
    }
    return Denied(annotations.status().message());
  }
  StampDecision decision;
  decision.outcome = StampDecision::Outcome::kAnnotations;
  decision.annotations = *std::move(annotations);
  return decision;
}

bool StampLedger::MayReserve(const ledger::PendingPod& pod) {
  {
    MutexLock lock(mutex_);
    if (reserved_once_.size() >= sweep_at_) {
      absl::erase_if(reserved_once_,
                     [this](const std::string& uid) { return pending_.FindUid(uid) == nullptr; });
      sweep_at_ = std::max(kFirstSweep, 2 * reserved_once_.size());
    }
    if (!reserved_once_.contains(pod.uid)) {
      return true;
    }
  }
  // The reservation still stands: the same Binding again.
  return ledger_.FindHold(pod.uid).has_value();
}

void StampLedger::Record(const ledger::PendingPod& pod, std::string_view node,
                         const StampDecision& made, std::string_view cards) const {
  const std::string key = pod.key.ToString();
  observability::Decision decision;
  decision.component = "admission";
  decision.verb = "stamp";
  decision.pod = key;
  decision.uid = pod.uid;
  decision.node = node;
  decision.outcome = made.outcome == StampDecision::Outcome::kDenied ? "denied" : "stamped";
  decision.reason = made.reason;
  decision.cards = cards;
  log_.Record(decision);
}

}  // namespace aliquot::reconcile
