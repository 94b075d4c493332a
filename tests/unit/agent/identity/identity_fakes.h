// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agent/identity/checkpoint_reader.h"
#include "agent/identity/node_pods.h"
#include "agent/identity/pod_resources.h"
#include "agent/identity/recalled_grants.h"
#include "base/clock.h"

namespace aliquot::agent {

// Pods and what stands around the resolver, for its tests.

inline model::GpuContainer Share(const std::string& name, int core,
                                 model::ContainerKind kind = model::ContainerKind::kApp) {
  return {name,
          kind,
          0,
          {{"tencent.com/vcuda-core", std::to_string(core)}, {"tencent.com/vcuda-memory", "4"}}};
}

inline model::GpuContainer Init(const std::string& name, int core) {
  return Share(name, core, model::ContainerKind::kInit);
}

inline model::GpuContainer Sidecar(const std::string& name, int core) {
  return Share(name, core, model::ContainerKind::kSidecar);
}

// Bound to our node, with a record, and known to the kubelet.
inline NodePod MakePod(const std::string& name, const std::string& uid,
                       std::vector<model::GpuContainer> containers) {
  NodePod pod;
  pod.pod.key = {"default", name};
  pod.pod.uid = uid;
  pod.pod.node_name = "n1";
  pod.pod.gpu_containers = std::move(containers);
  pod.pod.annotations["aliquot.io/allocation"] = "record of " + uid;
  pod.pod.annotations["aliquot.io/allocation-signature"] = "k:s";
  pod.acknowledged = true;
  return pod;
}

inline ContainerStatus Waiting(const std::string& name, const std::string& reason) {
  ContainerStatus status;
  status.name = name;
  status.state = ContainerStatus::State::kWaiting;
  status.reason = reason;
  return status;
}

inline ContainerStatus Running(const std::string& name, int restarts = 0) {
  ContainerStatus status;
  status.name = name;
  status.state = ContainerStatus::State::kRunning;
  status.restart_count = restarts;
  status.container_id = "containerd://" + name + std::to_string(restarts);
  return status;
}

inline ContainerStatus Ended(const std::string& name, int exit_code, int restarts = 0) {
  ContainerStatus status = Running(name, restarts);
  status.state = ContainerStatus::State::kTerminated;
  status.exit_code = exit_code;
  return status;
}

// "c1" .. "cN" from the given number on, sorted as the checkpoint's are.
inline std::vector<std::string> Ids(int first, int count) {
  std::set<std::string> ids;
  for (int i = 0; i < count; ++i) ids.insert("c" + std::to_string(first + i));
  return {ids.begin(), ids.end()};
}

// Shows what it is given. Waiting lets the clock run to the next thing that is to be shown.
class FakePodView final : public PodView {
 public:
  explicit FakePodView(FakeClock& clock) : clock_(clock) { snapshot_.synced = true; }

  void Show(NodePod pod) {
    Remove(pod.pod.uid);
    pods_.push_back(std::make_shared<const NodePod>(std::move(pod)));
    Publish();
  }
  void Remove(const std::string& uid) {
    for (std::size_t i = pods_.size(); i-- > 0;) {
      if (pods_[i]->pod.uid == uid) pods_.erase(pods_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    Publish();
  }
  void SetSynced(bool synced) {
    snapshot_.synced = synced;
    Publish();
  }
  // After so long, `change` happens.
  void After(std::chrono::milliseconds delay, std::function<void()> change) {
    changes_.emplace(clock_.SteadyNow() + delay, std::move(change));
  }

  PodsSnapshot Snapshot() const override { return snapshot_; }
  void WaitForNews(std::uint64_t revision, SteadyTime deadline) override {
    while (snapshot_.revision == revision && !changes_.empty() &&
           changes_.begin()->first <= deadline) {
      const auto [at, change] = *changes_.begin();
      changes_.erase(changes_.begin());
      if (at > clock_.SteadyNow()) clock_.Advance(at - clock_.SteadyNow());
      change();
    }
    if (snapshot_.revision == revision && deadline > clock_.SteadyNow()) {
      clock_.Advance(deadline - clock_.SteadyNow());
    }
  }

 private:
  void Publish() {
    auto pods = std::make_shared<PodsSnapshot::Pods>(pods_);
    std::sort(pods->begin(), pods->end(),
              [](const auto& a, const auto& b) { return a->pod.uid < b->pod.uid; });
    snapshot_.pods = std::move(pods);
    snapshot_.heard = clock_.SteadyNow();
    ++snapshot_.revision;
  }

  FakeClock& clock_;
  PodsSnapshot::Pods pods_;
  PodsSnapshot snapshot_;
  std::multimap<SteadyTime, std::function<void()>> changes_;
};

class FakeCheckpoint final : public CheckpointSource {
 public:
  Result<std::shared_ptr<const Checkpoint>> Read() override {
    ++reads;
    if (!problem.ok()) return problem;
    return std::make_shared<const Checkpoint>(content);
  }

  Checkpoint content;
  Status problem;
  int reads = 0;
};

class FakePodResources final : public PodResources {
 public:
  explicit FakePodResources(FakeClock& clock) : clock_(clock) {}

  void List(const std::string& name, const std::string& container,
            const std::vector<std::string>& ids) {
    PodResourcesPod& pod = pods[name];
    pod.key = {"default", name};
    pod.containers.push_back({container, ids});
  }

  Result<PodResourcesPod> Get(const model::PodKey& key, SteadyTime deadline) override {
    asked.push_back(key.name);
    if (never_answers) {
      clock_.Advance(deadline - clock_.SteadyNow());
      return Status(StatusCode::kDeadlineExceeded, "PodResources did not answer in time");
    }
    if (!problem.ok()) return problem;
    const auto found = pods.find(key.name);
    if (found == pods.end()) return NotFound("pod not found");
    return found->second;
  }
  Result<std::vector<PodResourcesPod>> List(SteadyTime) override {
    ++lists;
    std::vector<PodResourcesPod> all;
    for (const auto& [name, pod] : pods) all.push_back(pod);
    return all;
  }

  std::map<std::string, PodResourcesPod> pods;  // by name
  Status problem;
  bool never_answers = false;
  std::vector<std::string> asked;  // names
  int lists = 0;

 private:
  FakeClock& clock_;
};

class FakeGrants final : public RecalledGrants {
 public:
  std::optional<ContainerIdentity> Find(std::string_view name) const override {
    const auto found = filled.find(std::string(name));
    if (found == filled.end()) return std::nullopt;
    return found->second;
  }
  bool Filled(std::string_view uid, std::string_view container) const override {
    for (const auto& [name, identity] : filled) {
      if (identity.uid == uid && identity.container == container) return true;
    }
    return false;
  }

  std::map<std::string, ContainerIdentity> filled;  // by name
};

}  // namespace aliquot::agent
