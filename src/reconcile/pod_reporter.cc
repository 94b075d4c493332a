// SPDX-License-Identifier: Apache-2.0
#include "reconcile/pod_reporter.h"

#include <optional>
#include <utility>

namespace aliquot::reconcile {

using ledger::PodEffect;
using observability::RecordProblem;

namespace {

constexpr int kEventsPerWindow = 20;
constexpr std::chrono::seconds kEventWindow{60};
// Beside the bits of the effects in what was told about a pod.
constexpr unsigned kFitsInSumOnly = 1u << 31;

struct ProblemWords {
  RecordProblem metric;
  std::string_view event_reason;  // "" = no event: nothing is wrong for the pod
  std::string_view message;       // of the log line
};

std::optional<ProblemWords> WordsFor(PodEffect effect) {
  switch (effect) {
    case PodEffect::kAdoptedByIndex:
      return ProblemWords{RecordProblem::kAdoptedByIndex, "", "pod counted by its GPU index"};
    case PodEffect::kCountedOnAll:
      return ProblemWords{RecordProblem::kCountedOnAll, "GpuRecordUnreadable",
                          "pod counted on every card of its node"};
    case PodEffect::kClosedNode:
      return ProblemWords{RecordProblem::kClosedNode, "GpuRecordMissing", "node takes no new pods"};
    case PodEffect::kRecordChanged:
      return ProblemWords{RecordProblem::kRecordChanged, "GpuRecordChanged",
                          "change of a pod's record ignored"};
    case PodEffect::kNotReadable:
      return ProblemWords{RecordProblem::kNotReadable, "GpuRequestInvalid",
                          "bound pod asks for GPUs in a form that cannot be counted"};
    default:
      return std::nullopt;
  }
}

}  // namespace

PodReporter::PodReporter(program::WorkQueue& queue, model::ClusterWriter& writer,
                         const Clock& clock, observability::Metrics& metrics,
                         observability::Log& log)
    : queue_(queue),
      writer_(writer),
      metrics_(metrics),
      log_(log),
      limiter_(clock, kEventsPerWindow, kEventWindow) {}

void PodReporter::Report(const model::Pod& pod, const ledger::PodChange& change) {
  const std::optional<ProblemWords> words = WordsFor(change.effect);
  if (!words || !FirstTime(pod.uid, 1u << static_cast<unsigned>(change.effect))) {
    return;
  }
  metrics_.CountRecordProblem(words->metric);
  const std::string key = pod.key.ToString();
  log_.Warn("reconcile", words->message,
            {{"pod", key}, {"uid", pod.uid}, {"node", pod.node_name}, {"problem", change.problem}});
  if (words->event_reason.empty()) {
    return;
  }
  model::PodEvent event;
  event.key = pod.key;
  event.uid = pod.uid;
  event.reason = words->event_reason;
  event.action = "Reconcile";
  event.note = change.problem;
  Post(std::move(event));
}

void PodReporter::ReportFitsInSumOnly(const model::Pod& pod) {
  if (pod.priority <= 0 || !FirstTime(pod.uid, kFitsInSumOnly)) {
    return;
  }
  model::PodEvent event;
  event.key = pod.key;
  event.uid = pod.uid;
  event.reason = "FitsInSumOnly";
  event.action = "Preempt";
  event.note =
      "the pod fits in sum, not on one card: on such a node kube-scheduler sees no shortage and "
      "evicts nobody; delete a small pod there, or have small pods fill the cards one by one "
      "(annotation aliquot.io/placement: binpack)";
  Post(std::move(event));
}

void PodReporter::Post(model::PodEvent event) {
  if (!limiter_.Ask(event.reason).allowed) {
    return;
  }
  const std::string key = "event/" + event.uid + "/" + event.reason;
  // One try: an event tells people, nothing depends on it.
  queue_.Add(key, [this, event = std::move(event)] {
    const model::WriteReply reply = writer_.PostEvent(event);
    if (!reply.done()) {
      log_.Info("reconcile", "event not written",
                {{"reason", event.reason}, {"problem", reply.message}});
    }
    return program::WorkQueue::Outcome::kDone;
  });
}

bool PodReporter::FirstTime(std::string_view uid, unsigned bit) {
  MutexLock lock(mutex_);
  unsigned& told = told_[std::string(uid)];
  if ((told & bit) != 0) {
    return false;
  }
  told |= bit;
  return true;
}

void PodReporter::Forget(std::string_view uid) {
  MutexLock lock(mutex_);
  const auto found = told_.find(uid);
  if (found != told_.end()) {
    told_.erase(found);
  }
}

}  // namespace aliquot::reconcile
