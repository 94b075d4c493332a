// SPDX-License-Identifier: Apache-2.0
#include "agent/identity/node_pods.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace aliquot::agent {
namespace {

using Pods = PodsSnapshot::Pods;

Pods::const_iterator PlaceOf(const Pods& pods, std::string_view uid) {
  return std::lower_bound(pods.begin(), pods.end(), uid,
                          [](const std::shared_ptr<const NodePod>& pod, std::string_view wanted) {
                            return pod->pod.uid < wanted;
                          });
}

bool IsAt(const Pods& pods, Pods::const_iterator place, std::string_view uid) {
  return place != pods.end() && (*place)->pod.uid == uid;
}

}  // namespace

const NodePod* PodsSnapshot::Find(std::string_view uid) const {
  const auto place = PlaceOf(*pods, uid);
  return IsAt(*pods, place, uid) ? place->get() : nullptr;
}

NodePods::NodePods(NodePodsObserver& observer, const Clock& clock)
    : observer_(observer), clock_(clock) {}

void NodePods::Publish(Pods pods) {
  now_.pods = std::make_shared<const Pods>(std::move(pods));
  ++now_.revision;
  changed_.NotifyAll();
}

void NodePods::Seen(NodePod pod) {
  if (!pod.pod.asks_for_gpu()) return;
  const auto fresh = std::make_shared<const NodePod>(std::move(pod));
  std::vector<std::string> replaced;
  bool ended = false;
  {
    MutexLock lock(mutex_);
    Pods pods;
    pods.reserve(now_.pods->size() + 1);
    bool was_finished = false;
    for (const auto& known : *now_.pods) {
      if (known->pod.uid == fresh->pod.uid) {
        was_finished = known->pod.finished();
      } else if (known->pod.key == fresh->pod.key) {
        replaced.push_back(known->pod.uid);
      } else {
        pods.push_back(known);
      }
    }
    ended = fresh->pod.finished() && !was_finished;
    pods.insert(PlaceOf(pods, fresh->pod.uid), fresh);
    Publish(std::move(pods));
  }
  for (const std::string& uid : replaced) observer_.PodGone(uid);
  if (ended) observer_.PodFinished(fresh->pod.uid);
}

void NodePods::Gone(std::string_view uid) {
  {
    MutexLock lock(mutex_);
    const auto place = PlaceOf(*now_.pods, uid);
    if (!IsAt(*now_.pods, place, uid)) return;
    Pods pods(now_.pods->begin(), place);
    pods.insert(pods.end(), place + 1, now_.pods->cend());
    Publish(std::move(pods));
  }
  observer_.PodGone(uid);
}

void NodePods::Listed(const std::vector<std::string>& uids) {
  const std::unordered_set<std::string_view> listed(uids.begin(), uids.end());
  std::vector<std::string> missing;
  {
    MutexLock lock(mutex_);
    Pods pods;
    for (const auto& known : *now_.pods) {
      if (listed.count(known->pod.uid) != 0) {
        pods.push_back(known);
      } else {
        missing.push_back(known->pod.uid);
      }
    }
    now_.synced = true;
    Publish(std::move(pods));
  }
  for (const std::string& uid : missing) observer_.PodGone(uid);
  observer_.PodsListed(uids);
}

void NodePods::Heard() {
  MutexLock lock(mutex_);
  now_.heard = clock_.SteadyNow();
}

PodsSnapshot NodePods::Snapshot() const {
  MutexLock lock(mutex_);
  return now_;
}

void NodePods::WaitForNews(std::uint64_t revision, SteadyTime deadline) {
  MutexLock lock(mutex_);
  while (now_.revision == revision) {
    if (!changed_.WaitUntil(mutex_, deadline)) return;
  }
}

}  // namespace aliquot::agent
