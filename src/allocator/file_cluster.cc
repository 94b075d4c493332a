// SPDX-License-Identifier: Apache-2.0
#include "allocator/file_cluster.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace aliquot::allocator {
namespace {

using model::WriteOutcome;
using model::WriteReply;

WriteReply Done() { return {WriteOutcome::kDone, ""}; }

WriteReply Missing(const model::PodKey& key) {
  return {WriteOutcome::kNotFound,
          "pod " + key.ToString() + " with this UID is not in the cluster"};
}

WriteReply AlreadyBound(const model::PodKey& key, const std::string& node) {
  return {WriteOutcome::kConflict,
          "pod " + key.ToString() + " is already assigned to node \"" + node + "\""};
}

}  // namespace

FileCluster::FileCluster(FileClusterState state, observability::Log& log) : log_(log) {
  MutexLock lock(mutex_);
  nodes_ = std::move(state.nodes);
  pods_.reserve(state.pods.size());
  for (model::Pod& pod : state.pods) {
    std::string key = pod.key.ToString();
    pods_.emplace(std::move(key), std::move(pod));
  }
}

FileCluster::~FileCluster() { Stop(); }

void FileCluster::Start(model::ClusterObserver& observer) {
  thread_ = std::thread([this, &observer] { Run(observer); });
}

void FileCluster::Stop() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
    changed_.NotifyAll();
  }
  if (thread_.joinable()) {
    thread_.join();
  }
}

void FileCluster::Run(model::ClusterObserver& observer) {
  DeliverLists(observer);
  while (true) {
    std::deque<model::Pod> events;
    {
      MutexLock lock(mutex_);
      while (events_.empty() && !stopping_) {
        changed_.Wait(mutex_);
      }
      if (stopping_) {
        return;
      }
      events.swap(events_);
    }
    for (const model::Pod& pod : events) {
      observer.PodSeen(pod);
    }
  }
}

void FileCluster::DeliverLists(model::ClusterObserver& observer) {
  std::vector<model::Node> nodes;
  std::vector<std::string> keys;
  {
    MutexLock lock(mutex_);
    nodes.swap(nodes_);
    keys.reserve(pods_.size());
    for (const auto& [key, pod] : pods_) {
      keys.push_back(key);
    }
    events_.clear();  // what was written before the list is in it
  }
  std::vector<std::string> names;
  for (const model::Node& node : nodes) {
    observer.NodeSeen(node);
    names.push_back(node.name);
  }
  observer.NodesListed(names);
  // The map's order changes from run to run; the observer's work should not.
  std::sort(keys.begin(), keys.end());
  std::vector<std::string> uids;
  for (const std::string& key : keys) {
    const model::Pod pod = CopyOf(key);
    observer.PodSeen(pod);
    uids.push_back(pod.uid);
  }
  observer.PodsListed(uids);
}

model::Pod FileCluster::CopyOf(const std::string& key) {
  MutexLock lock(mutex_);
  return pods_.at(key);
}

model::Pod* FileCluster::Find(const model::PodKey& key, std::string_view uid) {
  const auto at = pods_.find(key.ToString());
  return at == pods_.end() || at->second.uid != uid ? nullptr : &at->second;
}

void FileCluster::Changed(model::Pod& pod) {
  pod.resource_version = std::to_string(++version_);
  events_.push_back(pod);
  changed_.NotifyAll();
}

WriteReply FileCluster::Bind(const model::BindOrder& order, SteadyTime /*deadline*/) {
  MutexLock lock(mutex_);
  if (model::Pod* pod = Find(order.key, order.uid)) {
    return BindKnown(*pod, order);
  }
  if (pods_.find(order.key.ToString()) != pods_.end()) {
    return Missing(order.key);
  }
  const auto [at, fresh] = strangers_.try_emplace(order.uid, order.node);
  return fresh ? Done() : AlreadyBound(order.key, at->second);
}

WriteReply FileCluster::BindKnown(model::Pod& pod, const model::BindOrder& order) {
  if (!pod.node_name.empty()) {
    return AlreadyBound(order.key, pod.node_name);
  }
  pod.node_name = order.node;
  for (const auto& [key, value] : order.annotations) {
    pod.annotations[key] = value;
  }
  Changed(pod);
  return Done();
}

WriteReply FileCluster::PatchPod(const model::PodKey& key, std::string_view uid,
                                 const std::map<std::string, std::string>& annotations,
                                 const std::map<std::string, std::string>& labels) {
  MutexLock lock(mutex_);
  model::Pod* pod = Find(key, uid);
  if (pod == nullptr) {
    return Missing(key);
  }
  for (const auto& [name, value] : annotations) {
    pod->annotations[name] = value;
  }
  if (const auto label = labels.find(std::string(model::kGpuLabel)); label != labels.end()) {
    pod->has_gpu_label = label->second == model::kGpuLabelValue;
  }
  Changed(*pod);
  return Done();
}

WriteReply FileCluster::SetPodCondition(const model::PodKey& key, std::string_view uid,
                                        const model::PodCondition& /*condition*/) {
  MutexLock lock(mutex_);
  return Find(key, uid) == nullptr ? Missing(key) : Done();
}

WriteReply FileCluster::PostEvent(const model::PodEvent& event) {
  log_.Info("cluster-file", "event",
            {{"pod", event.key.ToString()}, {"reason", event.reason}, {"note", event.note}});
  return Done();
}

model::PodLookup FileCluster::GetPod(const model::PodKey& key) {
  MutexLock lock(mutex_);
  model::PodLookup lookup;
  const auto at = pods_.find(key.ToString());
  if (at == pods_.end()) {
    lookup.outcome = model::PodLookup::Outcome::kNotFound;
    return lookup;
  }
  lookup.outcome = model::PodLookup::Outcome::kFound;
  lookup.pod = at->second;
  return lookup;
}

}  // namespace aliquot::allocator
