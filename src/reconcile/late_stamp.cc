// SPDX-License-Identifier: Apache-2.0
#include "reconcile/late_stamp.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "api/binding_codec.h"
#include "model/names.h"
#include "scoring/refusal.h"

namespace aliquot::reconcile {

using ledger::CommitOutcome;
using observability::StampOutcome;
using Outcome = program::WorkQueue::Outcome;

namespace {

constexpr std::string_view kConditionType = "aliquot.io/GpuAllocated";
// How soon after a change of its node a pod without room is tried again.
constexpr std::chrono::seconds kNodeChangePause{1};
// How often the reason on the pod may change: each write wakes every rejected pod of the cluster.
constexpr std::chrono::seconds kConditionPause{30};

std::string TaskKey(const std::string& uid) { return "late_stamp/" + uid; }

model::PodCondition ConditionOf(bool allocated, std::string_view reason, std::string_view message) {
  model::PodCondition condition;
  condition.type = kConditionType;
  condition.status = allocated;
  condition.reason = reason;
  condition.message = message;
  return condition;
}

}  // namespace

LateStamp::LateStamp(ledger::Ledger& ledger, model::ClusterWriter& writer,
                     program::WorkQueue& queue, PodReporter& reporter,
                     const model::ResourceNames& names, const Clock& clock,
                     observability::Metrics& metrics, observability::DecisionLog& log,
                     const extender::AnnotationOptions& annotations)
    : ledger_(ledger),
      writer_(writer),
      queue_(queue),
      reporter_(reporter),
      names_(names),
      clock_(clock),
      metrics_(metrics),
      log_(log),
      annotation_options_(annotations) {}

void LateStamp::Needs(const model::Pod& pod) {
  Result<model::PodDemand> demand = model::DemandOf(pod, names_);
  if (!demand.ok() || demand->empty()) {
    return;
  }
  {
    MutexLock lock(mutex_);
    // Known: it is being tried, or waits for its node. Our own condition on it must not start a
    // try.
    if (pods_.contains(pod.uid)) {
      return;
    }
    Waiting waiting;
    waiting.key = pod.key;
    waiting.uid = pod.uid;
    waiting.node = pod.node_name;
    waiting.demand = *std::move(demand);
    waiting.priority = pod.priority;
    uids_by_node_[waiting.node].insert(waiting.uid);
    pods_[waiting.uid] = std::move(waiting);
  }
  Schedule(pod.uid, std::chrono::nanoseconds::zero());
}

void LateStamp::Forget(std::string_view uid) {
  MutexLock lock(mutex_);
  const auto found = pods_.find(uid);
  if (found == pods_.end()) {
    return;
  }
  const auto node = uids_by_node_.find(found->second.node);
  node->second.erase(found->second.uid);
  if (node->second.empty()) {
    uids_by_node_.erase(node);
  }
  pods_.erase(found);
}

void LateStamp::NodeChanged(std::string_view node) {
  std::vector<std::string> uids;
  {
    MutexLock lock(mutex_);
    const auto found = uids_by_node_.find(node);
    if (found == uids_by_node_.end()) {
      return;
    }
    uids.assign(found->second.begin(), found->second.end());
  }
  for (const std::string& uid : uids) {
    Schedule(uid, kNodeChangePause);
  }
}

std::size_t LateStamp::waiting() const {
  MutexLock lock(mutex_);
  return pods_.size();
}

void LateStamp::Schedule(const std::string& uid, std::chrono::nanoseconds delay) {
  queue_.Add(
      TaskKey(uid), [this, uid] { return Attempt(uid); }, delay);
}

Outcome LateStamp::Attempt(const std::string& uid) {
  std::optional<Waiting> pod;
  {
    MutexLock lock(mutex_);
    const auto found = pods_.find(uid);
    if (found == pods_.end()) {
      return Outcome::kDone;
    }
    pod = found->second;
  }
  ledger::CommitRequest request;
  request.key = pod->key;
  request.uid = pod->uid;
  request.node = pod->node;
  request.demand = pod->demand;
  request.priority = pod->priority;
  request.tolerates_cordon = true;  // it is on that node already, cordoned or not
  const ledger::CommitResult result = ledger_.Commit(request);
  switch (result.outcome) {
    case CommitOutcome::kReserved:
      return Write(*pod, result);
    case CommitOutcome::kAlreadyHeld:
      if (!result.bound) {
        return Write(*pod, result);
      }
      Forget(uid);  // counted from its own words meanwhile
      return Outcome::kDone;
    case CommitOutcome::kRefused:
      TellNoRoom(*pod, result.refusal);
      return Outcome::kRetry;
    case CommitOutcome::kHeldElsewhere:
    case CommitOutcome::kInProgress:
      break;
  }
  return Outcome::kRetry;
}

// The reservation is given back only when the pod is gone: it runs on this node, with or without
// our word.
Outcome LateStamp::Write(const Waiting& pod, const ledger::CommitResult& result) {
  const Result<api::Annotations> annotations = extender::AllocationAnnotations(
      result.allocation, pod.demand, result.minors, clock_.SystemNow(), annotation_options_);
  if (!annotations.ok()) {
    metrics_.CountLateStamp(StampOutcome::kFailed);
    Record(pod, "failed", annotations.status().message(), "");
    return Outcome::kRetry;
  }
  const std::map<std::string, std::string> labels = {
      {std::string(model::kGpuLabel), std::string(model::kGpuLabelValue)}};
  const model::WriteReply reply =
      writer_.PatchPod(pod.key, pod.uid, {annotations->begin(), annotations->end()}, labels);
  if (reply.outcome == model::WriteOutcome::kNotFound) {
    ledger_.Release(pod.uid);
    Forget(pod.uid);
    Record(pod, "gone", reply.message, "");
    return Outcome::kDone;
  }
  if (!reply.done()) {
    metrics_.CountLateStamp(StampOutcome::kFailed);
    Record(pod, "failed", reply.message, "");
    return Outcome::kRetry;
  }
  ledger_.Confirm(pod.uid);
  Forget(pod.uid);
  metrics_.CountLateStamp(StampOutcome::kDone);
  Record(pod, "stamped", "", extender::CardsText(pod.demand, result.minors));
  if (pod.told != scoring::Refusal::kNone) {
    (void)writer_.SetPodCondition(pod.key, pod.uid, ConditionOf(true, "Allocated", ""));
  }
  return Outcome::kDone;
}

void LateStamp::TellNoRoom(const Waiting& pod, scoring::Refusal refusal) {
  const SteadyTime now = clock_.SteadyNow();
  const bool first = pod.told == scoring::Refusal::kNone;
  if (refusal == pod.told || (!first && now - pod.told_at < kConditionPause)) {
    return;
  }
  const std::string_view sentence = scoring::RefusalSentence(refusal);
  const model::WriteReply reply =
      writer_.SetPodCondition(pod.key, pod.uid, ConditionOf(false, "NoRoomOnNode", sentence));
  if (reply.outcome == model::WriteOutcome::kNotFound) {
    Forget(pod.uid);
    return;
  }
  if (first) {
    metrics_.CountLateStamp(StampOutcome::kNoRoom);
    Record(pod, "no_room", sentence, "");
    model::PodEvent event;
    event.key = pod.key;
    event.uid = pod.uid;
    event.reason = "NoGpuOnNode";
    event.action = "Allocate";
    event.note = "bound to " + pod.node +
                 " without this extender, and no GPU can be given there: " + std::string(sentence);
    reporter_.Post(std::move(event));
  }
  MutexLock lock(mutex_);
  const auto found = pods_.find(pod.uid);
  if (found != pods_.end()) {
    found->second.told = refusal;
    found->second.told_at = now;
  }
}

void LateStamp::Record(const Waiting& pod, std::string_view outcome, std::string_view reason,
                       std::string_view cards) const {
  const std::string key = pod.key.ToString();
  observability::Decision decision;
  decision.component = "allocator";
  decision.verb = "late_stamp";
  decision.pod = key;
  decision.uid = pod.uid;
  decision.node = pod.node;
  decision.outcome = outcome;
  decision.reason = reason;
  decision.cards = cards;
  log_.Record(decision);
}

}  // namespace aliquot::reconcile
