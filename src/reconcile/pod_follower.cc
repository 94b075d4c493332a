// SPDX-License-Identifier: Apache-2.0
#include "reconcile/pod_follower.h"

#include <map>
#include <utility>

#include "model/names.h"

namespace aliquot::reconcile {

using Outcome = program::WorkQueue::Outcome;

namespace {

// A pod deleted in the usual way is gone from the API server by then, so the read finds nothing.
constexpr std::chrono::seconds kDeletedCheckDelay{1};

}  // namespace

void PodFollower::Seen(const model::Pod& pod) {
  MutexLock lock(mutex_);
  if (pod.asks_for_gpu() && !pod.has_gpu_label && !pod.finished()) {
    StartCheck(pod.uid, pod.key, pod.node_name, std::chrono::nanoseconds::zero());
    return;
  }
  checks_.erase(pod.uid);
  TakeIn(pod);
}

void PodFollower::Gone(const model::Pod& last) {
  MutexLock lock(mutex_);
  checks_.erase(last.uid);
  if (last.finished() || !last.asks_for_gpu()) {
    LetGo(last.uid, last.node_name);
  } else if (last.deleting) {
    // Freed at once, so that the pods which its deletion wakes find the room. It may still be
    // running, its label taken off while it was being deleted: then the read counts it again.
    LetGo(last.uid, last.node_name);
    StartCheck(last.uid, last.key, last.node_name, kDeletedCheckDelay);
  } else {
    StartCheck(last.uid, last.key, last.node_name, std::chrono::nanoseconds::zero());
  }
}

void PodFollower::Listed(const std::vector<std::string>& uids) {
  const StringSet listed(uids.begin(), uids.end());
  std::vector<std::pair<std::string, model::PodKey>> missing = ledger_.BoundNotIn(listed);
  MutexLock lock(mutex_);
  for (const auto& [uid, key] : holding_nothing_) {
    if (!listed.contains(uid)) {
      missing.emplace_back(uid, key);
    }
  }
  for (const auto& [uid, key] : missing) {
    StartCheck(uid, key, "", std::chrono::nanoseconds::zero());
  }
}

void PodFollower::StartCheck(const std::string& uid, const model::PodKey& key,
                             const std::string& node, std::chrono::nanoseconds delay) {
  const std::uint64_t serial = ++serial_;
  checks_[uid] = Check{serial, key, node};
  queue_.Add(
      "check/" + uid, [this, uid, serial] { return RunCheck(uid, serial); }, delay);
}

const PodFollower::Check* PodFollower::FindCheck(const std::string& uid,
                                                 std::uint64_t serial) const {
  const auto found = checks_.find(uid);
  return found == checks_.end() || found->second.serial != serial ? nullptr : &found->second;
}

Outcome PodFollower::RunCheck(const std::string& uid, std::uint64_t serial) {
  model::PodKey key;
  {
    MutexLock lock(mutex_);
    const Check* check = FindCheck(uid, serial);
    if (check == nullptr) {
      return Outcome::kDone;
    }
    key = check->key;
  }
  const model::PodLookup found = writer_.GetPod(key);
  if (found.outcome == model::PodLookup::Outcome::kUnknown) {
    return Outcome::kRetry;
  }
  const bool alive = found.outcome == model::PodLookup::Outcome::kFound && found.pod.uid == uid;
  {
    MutexLock lock(mutex_);
    const Check* check = FindCheck(uid, serial);
    if (check == nullptr) {
      return Outcome::kDone;
    }
    if (!alive) {
      LetGo(uid, std::string(check->node));
      checks_.erase(uid);
      return Outcome::kDone;
    }
    TakeIn(found.pod);
    const bool needs_label =
        found.pod.asks_for_gpu() && !found.pod.has_gpu_label && !found.pod.finished();
    if (!needs_label) {
      checks_.erase(uid);
      return Outcome::kDone;
    }
  }
  return PutLabelBack(uid, serial, found.pod);
}

Outcome PodFollower::PutLabelBack(const std::string& uid, std::uint64_t serial,
                                  const model::Pod& pod) {
  const std::map<std::string, std::string> labels = {
      {std::string(model::kGpuLabel), std::string(model::kGpuLabelValue)}};
  const model::WriteReply reply = writer_.PatchPod(pod.key, uid, {}, labels);
  MutexLock lock(mutex_);
  if (FindCheck(uid, serial) == nullptr) {
    return Outcome::kDone;  // the watch shows it again, or its end
  }
  if (reply.outcome == model::WriteOutcome::kNotFound) {
    LetGo(uid, pod.node_name);
  } else if (!reply.done()) {
    return Outcome::kRetry;  // from the read on: the pod may change meanwhile
  }
  checks_.erase(uid);
  return Outcome::kDone;
}

void PodFollower::TakeIn(const model::Pod& pod) {
  if (intake_.Seen(pod)) {
    holding_nothing_[pod.uid] = pod.key;
  } else {
    holding_nothing_.erase(pod.uid);
  }
}

void PodFollower::LetGo(const std::string& uid, std::string_view node) {
  intake_.Gone(uid, node);
  holding_nothing_.erase(uid);
}

}  // namespace aliquot::reconcile
