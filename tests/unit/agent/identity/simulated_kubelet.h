// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "agent/identity/resolver.h"
#include "base/clock.h"
#include "tests/unit/agent/identity/identity_fakes.h"

namespace aliquot::agent {

// A kubelet, its API server and their delays in simulated time, driven by one random source: pods
// are admitted, get device IDs with the reuse that the device manager knows, start their containers
// in order, crash, restart, lose their sandbox, are deleted and created anew under the same name.
// What the agent sees of it comes late. It asks the agent's resolver before each start and knows
// the truth. Single-threaded: other things happen while a resolver waits.
class SimulatedKubelet final : public PodView,
                               public CheckpointSource,
                               public PodResources,
                               public RecalledGrants {
 public:
  explicit SimulatedKubelet(std::uint64_t seed);

  // In this time from now on. The spec's shape is drawn unless `equal`: one container of 20 %.
  void CreatePodAfter(std::chrono::milliseconds delay, const std::string& name, bool equal);
  void DeleteAfter(std::chrono::milliseconds delay, const std::string& name);
  void LoseSandboxAfter(std::chrono::milliseconds delay, const std::string& name);
  void RestartAgentAfter(std::chrono::milliseconds delay, std::chrono::milliseconds unsynced);
  // Faults of what the agent reads, until taken back.
  void CheckpointUnreadable(std::chrono::milliseconds from, std::chrono::milliseconds to);
  void PodResourcesFail(std::chrono::milliseconds from, std::chrono::milliseconds to,
                        StatusCode code);
  void RunFor(std::chrono::seconds time);

  // What went wrong: a container that would have got another's grant.
  const std::vector<std::string>& swaps() const { return swaps_; }
  // App containers of live pods that have never started, with the last refusal.
  std::vector<std::string> Stuck() const;
  int granted() const { return granted_; }
  int refused() const { return refused_; }
  int told_apart() const { return told_apart_; }  // starts with IDs that several containers have

  PodsSnapshot Snapshot() const override { return view_.Snapshot(); }
  void WaitForNews(std::uint64_t revision, SteadyTime deadline) override;
  Result<std::shared_ptr<const Checkpoint>> Read() override;
  Result<PodResourcesPod> Get(const model::PodKey& key, SteadyTime deadline) override;
  Result<std::vector<PodResourcesPod>> List(SteadyTime deadline) override;
  std::optional<ContainerIdentity> Find(std::string_view name) const override {
    return grants_.Find(name);
  }
  bool Filled(std::string_view uid, std::string_view container) const override {
    return grants_.Filled(uid, container);
  }

 private:
  struct Container {
    ContainerStatus status;
    model::ContainerKind kind;
    std::vector<std::string> ids;
    bool done = false;  // an init container that has succeeded in this sandbox
    bool running = false;
    int runs = 0;
    int failures = 0;
    SteadyTime not_before;
  };
  struct Pod {
    NodePod api;
    std::vector<Container> containers;
    bool admitted = false;
    bool sandbox = false;
    bool busy = false;  // in PreStartContainer
    bool gone = false;
    SteadyTime quiet_from{};
    std::string last_refusal{};
  };
  using PodPtr = std::shared_ptr<Pod>;

  std::int64_t Draw(std::int64_t below) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(below));
  }
  void At(std::chrono::milliseconds delay, std::function<void()> what);
  bool RunNext(SteadyTime until);
  void Deliver(std::function<void()> change);
  std::vector<model::GpuContainer> DrawContainers();
  void Admit(const PodPtr& pod);
  void Allocate(Pod& pod, Container& container, int count, std::set<std::string>& reuse);
  void NoteSandbox(Pod& pod);
  void Post(const PodPtr& pod);
  void Sync(const PodPtr& pod);
  void Start(const PodPtr& pod, Container& container);
  bool AskAgent(const PodPtr& pod, const Container& container);
  void Run(const PodPtr& pod, Container& container);
  void End(const PodPtr& pod, Container& container, int run, int exit_code);
  void Remove(const PodPtr& pod);
  PodPtr Alive(const std::string& name) const;
  PodResourcesPod Listing(const Pod& pod) const;

  FakeClock clock_;
  std::mt19937_64 random_;
  std::multimap<SteadyTime, std::function<void()>> events_;
  SteadyTime last_delivery_;
  FakePodView view_{clock_};
  FakeGrants grants_;
  std::vector<PodPtr> pods_;
  std::vector<CheckpointEntry> checkpoint_;
  int next_uid_ = 0;
  int unreadable_ = 0;
  std::optional<StatusCode> pod_resources_fail_;
  std::unique_ptr<Resolver> resolver_;
  std::vector<std::string> swaps_;
  int granted_ = 0;
  int refused_ = 0;
  int told_apart_ = 0;
};

}  // namespace aliquot::agent
