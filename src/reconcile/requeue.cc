// SPDX-License-Identifier: Apache-2.0
#include "reconcile/requeue.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "model/names.h"

namespace aliquot::reconcile {

namespace {

// A refusal before this cannot have been meant for the event that made the room.
constexpr std::chrono::seconds kRefusedWithin{5};
// Time for kube-scheduler to come by itself, as it nearly always does.
constexpr std::chrono::milliseconds kPatience{500};
// Each costs a write at most, and one pod's end seldom makes room for more.
constexpr std::size_t kMostPods = 32;

std::string UnixNanoseconds(SystemTime time) {
  return std::to_string(
      std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count());
}

}  // namespace

Requeue::Requeue(const ledger::Ledger& ledger, const ledger::PendingPods& pending,
                 const scoring::Placer& placer, model::ClusterWriter& writer,
                 program::WorkQueue& queue, const Clock& clock, observability::Log& log)
    : ledger_(ledger),
      pending_(pending),
      placer_(placer),
      writer_(writer),
      queue_(queue),
      clock_(clock),
      log_(log) {}

void Requeue::RoomMade(std::string_view node) {
  const SteadyTime now = clock_.SteadyNow();
  std::vector<std::string> uids = pending_.RefusedSince(now - kRefusedWithin);
  uids.resize(std::min(uids.size(), kMostPods));
  for (const std::string& uid : uids) {
    {
      MutexLock lock(mutex_);
      Waiting& waiting = waiting_[uid];
      waiting.room_at = now;
      waiting.nodes.insert(std::string(node));
    }
    queue_.Add(
        "requeue/" + uid, [this, uid] { return Attempt(uid); }, kPatience);
  }
}

program::WorkQueue::Outcome Requeue::Attempt(const std::string& uid) {
  Waiting waiting;
  {
    MutexLock lock(mutex_);
    const auto found = waiting_.find(uid);
    if (found == waiting_.end()) {
      return program::WorkQueue::Outcome::kDone;
    }
    waiting = std::move(found->second);
    waiting_.erase(found);
  }
  const auto pod = pending_.FindUid(uid);
  const auto refused_at = pending_.LastRefused(uid);
  const bool asked_since = !refused_at || *refused_at > waiting.room_at;
  if (pod == nullptr || asked_since || !FitsOnOne(*pod, waiting.nodes)) {
    return program::WorkQueue::Outcome::kDone;
  }
  const model::WriteReply reply = writer_.PatchPod(
      pod->key, uid,
      {{std::string(model::kRequeuedAnnotation), UnixNanoseconds(clock_.SystemNow())}}, {});
  log_.Info("reconcile", "pod that was refused too early is tried again",
            {{"pod", pod->key.ToString()}, {"uid", uid}, {"problem", reply.message}});
  return program::WorkQueue::Outcome::kDone;
}

bool Requeue::FitsOnOne(const ledger::PendingPod& pod, const StringSet& nodes) const {
  const auto snapshot = ledger_.Read();
  const scoring::Ask ask = scoring::Ask(pod.demand, pod.tolerates_cordon).OfPriority(pod.priority);
  scoring::StepBudget budget(placer_.options());
  return std::any_of(nodes.begin(), nodes.end(), [&](const std::string& name) {
    scoring::NodeState node;
    return snapshot->Find(name, &node) && placer_.Check(node, ask, budget).fits();
  });
}

}  // namespace aliquot::reconcile
