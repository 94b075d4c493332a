// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/extender/fake_cluster.h"

#include "model/names.h"

namespace aliquot::extender {

using model::WriteOutcome;

void FakeCluster::AddPod(const model::Pod& pod) {
  MutexLock lock(mutex_);
  pods_[pod.key] = pod;
}

void FakeCluster::DeletePod(const model::PodKey& key) {
  MutexLock lock(mutex_);
  pods_.erase(key);
}

void FakeCluster::Change(const model::PodKey& key, const std::function<void(model::Pod&)>& change) {
  MutexLock lock(mutex_);
  change(pods_.at(key));
}

std::optional<model::Pod> FakeCluster::Find(const model::PodKey& key) const {
  MutexLock lock(mutex_);
  const auto found = pods_.find(key);
  return found == pods_.end() ? std::nullopt : std::optional<model::Pod>(found->second);
}

std::vector<model::Pod> FakeCluster::Pods() const {
  MutexLock lock(mutex_);
  std::vector<model::Pod> pods;
  for (const auto& [key, pod] : pods_) {
    pods.push_back(pod);
  }
  return pods;
}

void FakeCluster::NextBinds(std::initializer_list<BindFate> fates) {
  MutexLock lock(mutex_);
  fates_.insert(fates_.end(), fates);
}

void FakeCluster::NextPatches(std::initializer_list<WriteOutcome> outcomes) {
  MutexLock lock(mutex_);
  patch_outcomes_.insert(patch_outcomes_.end(), outcomes);
}

void FakeCluster::SetReadable(bool readable) {
  MutexLock lock(mutex_);
  readable_ = readable;
}

void FakeCluster::HoldBinds(bool hold) {
  MutexLock lock(mutex_);
  hold_binds_ = hold;
  let_go_.NotifyAll();
}

void FakeCluster::HoldReads(bool hold) {
  MutexLock lock(mutex_);
  hold_reads_ = hold;
  let_go_.NotifyAll();
}

int FakeCluster::binds() const {
  MutexLock lock(mutex_);
  return static_cast<int>(orders_.size());
}

int FakeCluster::reads() const {
  MutexLock lock(mutex_);
  return reads_;
}

int FakeCluster::patches() const {
  MutexLock lock(mutex_);
  return patches_;
}

std::vector<model::BindOrder> FakeCluster::orders() const {
  MutexLock lock(mutex_);
  return orders_;
}

std::vector<model::PodEvent> FakeCluster::events() const {
  MutexLock lock(mutex_);
  return events_;
}

std::vector<std::pair<std::string, model::PodCondition>> FakeCluster::conditions() const {
  MutexLock lock(mutex_);
  return conditions_;
}

model::WriteReply FakeCluster::Bind(const model::BindOrder& order, SteadyTime) {
  MutexLock lock(mutex_);
  orders_.push_back(order);
  BindFate fate = BindFate::kApply;
  if (!fates_.empty()) {
    fate = fates_.front();
    fates_.pop_front();
  }
  while (hold_binds_) {
    let_go_.Wait(mutex_);
  }
  switch (fate) {
    case BindFate::kApply:
      return Apply(order);
    case BindFate::kLoseAnswer:
      (void)Apply(order);
      return {WriteOutcome::kUnknown, "the connection was cut"};
    case BindFate::kLoseRequest:
      return {WriteOutcome::kUnknown, "the connection was cut"};
    case BindFate::kApplyAndConflict:
      (void)Apply(order);
      return {WriteOutcome::kConflict, "pod is already assigned"};
    case BindFate::kRefuse:
      break;
  }
  return {WriteOutcome::kRefused, "admission denied the request"};
}

// The rules of the binding subresource: UID precondition, one bind only, annotations copied in the
// same write.
model::WriteReply FakeCluster::Apply(const model::BindOrder& order) {
  const auto found = pods_.find(order.key);
  if (found == pods_.end() || found->second.uid != order.uid) {
    return {WriteOutcome::kNotFound, "pod not found"};
  }
  model::Pod& pod = found->second;
  if (!pod.node_name.empty()) {
    return {WriteOutcome::kConflict, "pod is already assigned to node " + pod.node_name};
  }
  pod.node_name = order.node;
  for (const auto& [key, value] : order.annotations) {
    pod.annotations[key] = value;
  }
  return {WriteOutcome::kDone, ""};
}

model::WriteReply FakeCluster::PatchPod(const model::PodKey& key, std::string_view uid,
                                        const std::map<std::string, std::string>& annotations,
                                        const std::map<std::string, std::string>& labels) {
  MutexLock lock(mutex_);
  ++patches_;
  if (!patch_outcomes_.empty()) {
    const WriteOutcome outcome = patch_outcomes_.front();
    patch_outcomes_.pop_front();
    if (outcome != WriteOutcome::kDone) {
      return {outcome, "scripted"};
    }
  }
  const auto found = pods_.find(key);
  if (found == pods_.end() || found->second.uid != uid) {
    return {WriteOutcome::kNotFound, "pod not found"};
  }
  for (const auto& [name, value] : annotations) {
    found->second.annotations[name] = value;
  }
  const auto label = labels.find(std::string(model::kGpuLabel));
  if (label != labels.end()) {
    found->second.has_gpu_label = label->second == model::kGpuLabelValue;
  }
  return {WriteOutcome::kDone, ""};
}

model::WriteReply FakeCluster::SetPodCondition(const model::PodKey& key, std::string_view uid,
                                               const model::PodCondition& condition) {
  MutexLock lock(mutex_);
  const auto found = pods_.find(key);
  if (found == pods_.end() || found->second.uid != uid) {
    return {WriteOutcome::kNotFound, "pod not found"};
  }
  conditions_.emplace_back(uid, condition);
  return {WriteOutcome::kDone, ""};
}

model::WriteReply FakeCluster::PostEvent(const model::PodEvent& event) {
  MutexLock lock(mutex_);
  events_.push_back(event);
  return {WriteOutcome::kDone, ""};
}

model::PodLookup FakeCluster::GetPod(const model::PodKey& key) {
  MutexLock lock(mutex_);
  ++reads_;
  while (hold_reads_) {
    let_go_.Wait(mutex_);
  }
  model::PodLookup lookup;
  if (!readable_) {
    lookup.message = "the API server is away";
    return lookup;
  }
  const auto found = pods_.find(key);
  lookup.outcome = found == pods_.end() ? model::PodLookup::Outcome::kNotFound
                                        : model::PodLookup::Outcome::kFound;
  if (found != pods_.end()) {
    lookup.pod = found->second;
  }
  return lookup;
}

}  // namespace aliquot::extender
