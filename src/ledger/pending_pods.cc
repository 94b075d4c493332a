// SPDX-License-Identifier: Apache-2.0
#include "ledger/pending_pods.h"

#include <utility>

namespace aliquot::ledger {

void PendingPods::Watched(PendingPod pod) {
  MutexLock lock(mutex_);
  pod.watched = true;
  Put(std::move(pod));
}

void PendingPods::Asked(PendingPod pod) {
  MutexLock lock(mutex_);
  const auto known = by_uid_.find(pod.uid);
  if (known != by_uid_.end() && known->second.pod->watched) {
    return;
  }
  pod.watched = false;
  Put(std::move(pod));
  while (ages_.size() > request_capacity_) {
    Erase(std::string(ages_.front()));
  }
}

void PendingPods::Put(PendingPod pod) {
  Erase(pod.uid);
  const std::string uid = pod.uid;
  uid_by_key_[pod.key.ToString()] = uid;
  Item item;
  if (!pod.watched) {
    ages_.push_back(uid);
    item.age = std::prev(ages_.end());
  }
  item.pod = std::make_shared<const PendingPod>(std::move(pod));
  by_uid_[uid] = std::move(item);
}

void PendingPods::Erase(std::string_view uid) {
  const auto found = by_uid_.find(uid);
  if (found == by_uid_.end()) {
    return;
  }
  // The name may belong to a newer pod by now.
  const auto key = uid_by_key_.find(found->second.pod->key.ToString());
  if (key != uid_by_key_.end() && key->second == uid) {
    uid_by_key_.erase(key);
  }
  if (found->second.age) {
    ages_.erase(*found->second.age);
  }
  by_uid_.erase(found);
}

void PendingPods::Remove(std::string_view uid) {
  MutexLock lock(mutex_);
  Erase(uid);
  ForgetRefusal(uid);
}

void PendingPods::ForgetRefusal(std::string_view uid) {
  const auto found = refusal_by_uid_.find(uid);
  if (found == refusal_by_uid_.end()) {
    return;
  }
  const Refusals::iterator refusal = found->second;
  refusal_by_uid_.erase(found);
  refusals_.erase(refusal);
}

void PendingPods::Refused(std::string_view uid, SteadyTime now) {
  MutexLock lock(mutex_);
  ForgetRefusal(uid);
  refusals_.emplace_back(std::string(uid), now);
  refusal_by_uid_[std::string(uid)] = std::prev(refusals_.end());
  if (refusals_.size() > kRefusalsKept) {
    ForgetRefusal(std::string(refusals_.front().first));
  }
}

void PendingPods::Fitted(std::string_view uid) {
  MutexLock lock(mutex_);
  ForgetRefusal(uid);
}

std::optional<SteadyTime> PendingPods::LastRefused(std::string_view uid) const {
  MutexLock lock(mutex_);
  const auto found = refusal_by_uid_.find(uid);
  return found == refusal_by_uid_.end() ? std::nullopt
                                        : std::optional<SteadyTime>(found->second->second);
}

std::vector<std::string> PendingPods::RefusedSince(SteadyTime since) const {
  std::vector<std::string> uids;
  MutexLock lock(mutex_);
  for (auto refusal = refusals_.rbegin(); refusal != refusals_.rend(); ++refusal) {
    if (refusal->second < since) {
      break;
    }
    uids.push_back(refusal->first);
  }
  return uids;
}

std::shared_ptr<const PendingPod> PendingPods::FindUid(std::string_view uid) const {
  MutexLock lock(mutex_);
  const auto found = by_uid_.find(uid);
  return found == by_uid_.end() ? nullptr : found->second.pod;
}

std::shared_ptr<const PendingPod> PendingPods::FindKey(const model::PodKey& key) const {
  MutexLock lock(mutex_);
  const auto uid = uid_by_key_.find(key.ToString());
  if (uid == uid_by_key_.end()) {
    return nullptr;
  }
  const auto found = by_uid_.find(uid->second);
  return found == by_uid_.end() ? nullptr : found->second.pod;
}

std::size_t PendingPods::size() const {
  MutexLock lock(mutex_);
  return by_uid_.size();
}

}  // namespace aliquot::ledger
