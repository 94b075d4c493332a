// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/agent/identity/simulated_kubelet.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "agent/grant/grant_name.h"

namespace aliquot::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using State = ContainerStatus::State;

constexpr int kDevices = 1600;
// The API server's way to the agent takes up to this long; the resolver waits 2 s.
constexpr int kMostDelayMs = 1500;
constexpr int kMostFailures = 2;

// In whole seconds, spelt so that it sorts as time does.
std::string Spell(SteadyTime time) {
  return std::to_string(std::chrono::duration_cast<seconds>(time.time_since_epoch()).count());
}

std::string Described(const ContainerStatus& status) {
  static constexpr const char* kStates[] = {"none", "waiting", "running", "ended"};
  return " " + status.name + "=" + kStates[static_cast<int>(status.state)] + status.reason + "(" +
         std::to_string(status.exit_code) + ")#" + std::to_string(status.restart_count) + "[" +
         status.started_at + "-" + status.finished_at + "]";
}

std::string Described(const NodePod* pod) {
  if (pod == nullptr) return "nothing";
  std::string text = pod->without_sandbox ? "no sandbox" : "sandbox " + pod->sandbox_since;
  for (const ContainerStatus& status : pod->statuses) text += Described(status);
  return text;
}

ResolverOptions OptionsOfAgent() {
  ResolverOptions options;
  options.node = "n1";
  return options;
}

}  // namespace

SimulatedKubelet::SimulatedKubelet(std::uint64_t seed) : random_(seed) {
  resolver_ = std::make_unique<Resolver>(OptionsOfAgent(), *this, *this, *this, *this, clock_);
}

void SimulatedKubelet::At(milliseconds delay, std::function<void()> what) {
  events_.emplace(clock_.SteadyNow() + delay, std::move(what));
}

bool SimulatedKubelet::RunNext(SteadyTime until) {
  if (events_.empty() || events_.begin()->first > until) return false;
  const SteadyTime at = events_.begin()->first;
  const std::function<void()> what = std::move(events_.begin()->second);
  events_.erase(events_.begin());
  if (at > clock_.SteadyNow()) clock_.Advance(at - clock_.SteadyNow());
  what();
  return true;
}

void SimulatedKubelet::RunFor(seconds time) {
  const SteadyTime until = clock_.SteadyNow() + time;
  while (RunNext(until)) {
  }
  if (until > clock_.SteadyNow()) clock_.Advance(until - clock_.SteadyNow());
}

void SimulatedKubelet::WaitForNews(std::uint64_t revision, SteadyTime deadline) {
  while (view_.Snapshot().revision == revision && RunNext(deadline)) {
  }
  if (view_.Snapshot().revision == revision && deadline > clock_.SteadyNow()) {
    clock_.Advance(deadline - clock_.SteadyNow());
  }
}

// In the order in which things happened, each late by its own time.
void SimulatedKubelet::Deliver(std::function<void()> change) {
  const int most = Draw(3) == 0 ? kMostDelayMs : 100;
  last_delivery_ = std::max(last_delivery_, clock_.SteadyNow() + milliseconds(5 + Draw(most - 5)));
  events_.emplace(last_delivery_, std::move(change));
}

std::vector<model::GpuContainer> SimulatedKubelet::DrawContainers() {
  switch (Draw(7)) {
    case 0:
      return {Share("a", 20), Share("b", 20)};
    case 1:
      return {Init("i", 20), Share("a", 20)};
    case 2:
      return {Init("i", 20), Init("j", 20), Share("a", 20)};
    case 3:
      return {Init("i", 12), Sidecar("s", 6), Share("a", 6)};
    case 4:
      return {Init("i", 20), Sidecar("s", 20), Init("j", 20), Share("a", 20)};
    case 5:
      return {Init("i", 40), Init("j", 40), Share("a", 20), Share("b", 20)};
    default:
      return {Share("a", 20)};
  }
}

void SimulatedKubelet::CreatePodAfter(milliseconds delay, const std::string& name, bool equal) {
  At(delay, [this, name, equal] {
    if (Alive(name) != nullptr) return;
    auto pod = std::make_shared<Pod>();
    pod->api = MakePod(name, "u" + std::to_string(next_uid_++),
                       equal ? std::vector{Share("a", 20)} : DrawContainers());
    pod->api.acknowledged = false;
    pods_.push_back(pod);
    Post(pod);
    At(milliseconds(Draw(300)), [this, pod] { Admit(pod); });
  });
}

// In batches, ordered by anything but their creation. The dead lose what they have before each
// allocation; until then their entries stay.
void SimulatedKubelet::Admit(const PodPtr& pod) {
  if (pod->gone) return;
  const auto dead = [this](const CheckpointEntry& entry) {
    for (const PodPtr& other : pods_) {
      if (other->api.pod.uid == entry.uid) return other->gone;
    }
    return true;
  };
  checkpoint_.erase(std::remove_if(checkpoint_.begin(), checkpoint_.end(), dead),
                    checkpoint_.end());
  std::set<std::string> reuse;
  for (const model::GpuContainer& spec : pod->api.pod.gpu_containers) {
    Container container;
    container.status.name = spec.name;
    container.kind = spec.kind;
    Allocate(*pod, container, static_cast<int>(AmountsOf(spec, {}).core), reuse);
    pod->containers.push_back(std::move(container));
  }
  std::shuffle(checkpoint_.begin(), checkpoint_.end(), random_);
  pod->admitted = true;
  pod->api.acknowledged = true;
  Post(pod);
  At(milliseconds(50 + Draw(400)), [this, pod] { Sync(pod); });
}

// Devices of ordinary init containers are offered first to those that follow, and stay on offer
// until a sidecar or an app container takes them.
void SimulatedKubelet::Allocate(Pod& pod, Container& container, int count,
                                std::set<std::string>& reuse) {
  std::set<std::string> taken;
  for (const CheckpointEntry& entry : checkpoint_) taken.insert(entry.ids.begin(), entry.ids.end());
  std::vector<std::string> free;
  static const std::vector<std::string>& devices = *new auto(Ids(0, kDevices));
  std::set_difference(devices.begin(), devices.end(), taken.begin(), taken.end(),
                      std::back_inserter(free));
  std::shuffle(free.begin(), free.end(), random_);
  std::vector<std::string> ids(reuse.begin(), reuse.end());
  std::shuffle(ids.begin(), ids.end(), random_);
  ids.insert(ids.end(), free.begin(), free.end());
  ids.resize(static_cast<std::size_t>(count));
  for (const std::string& id : ids) {
    if (container.kind == model::ContainerKind::kInit) {
      reuse.insert(id);
    } else {
      reuse.erase(id);
    }
  }
  std::sort(ids.begin(), ids.end());
  container.ids = ids;
  checkpoint_.push_back({pod.api.pod.uid, container.status.name, std::move(ids)});
}

// The part of a status that tells of the sandbox, made at the beginning of each look at the pod.
void SimulatedKubelet::NoteSandbox(Pod& pod) {
  pod.api.without_sandbox = !pod.sandbox;
  if (!pod.sandbox) {
    pod.api.sandbox_since.clear();
  } else if (pod.api.sandbox_since.empty()) {
    pod.api.sandbox_since = Spell(clock_.SteadyNow());
  }
}

void SimulatedKubelet::Post(const PodPtr& pod) {
  NoteSandbox(*pod);
  NodePod state = pod->api;
  for (const Container& container : pod->containers) {
    if (container.status.state != State::kNone) state.statuses.push_back(container.status);
  }
  Deliver([this, state] { view_.Show(state); });
}

// One look at a pod: what is to start now is started.
void SimulatedKubelet::Sync(const PodPtr& pod) {
  if (pod->gone) return;
  if (pod->busy) {
    At(milliseconds(20), [this, pod] { Sync(pod); });
    return;
  }
  NoteSandbox(*pod);
  if (!pod->sandbox) {
    for (Container& container : pod->containers) container.done = false;
    pod->sandbox = true;
  }
  for (std::size_t i = 0; i < pod->containers.size(); ++i) {
    Container& container = pod->containers[i];
    if (container.done || container.running) {
      // A later one waits for an init container; a sidecar lets it pass.
      if (container.running && container.kind == model::ContainerKind::kInit) return;
      continue;
    }
    const bool blocks = container.kind != model::ContainerKind::kApp;
    if (container.not_before > clock_.SteadyNow()) {
      if (blocks) return;
      continue;
    }
    Start(pod, container);
    if (pod->gone || (blocks && !container.running) ||
        container.kind == model::ContainerKind::kInit) {
      return;
    }
  }
}

void SimulatedKubelet::Start(const PodPtr& pod, Container& container) {
  pod->busy = true;
  const bool granted = AskAgent(pod, container);
  pod->busy = false;
  if (pod->gone) return;
  if (granted) {
    Run(pod, container);
    return;
  }
  container.not_before = clock_.SteadyNow() + seconds(12);
  // What has ended well keeps that state where it is not to be restarted for itself.
  if (container.status.state != State::kTerminated || Draw(2) == 0) {
    container.status.state = State::kWaiting;
    container.status.reason = "CreateContainerConfigError";
  }
  Post(pod);
  At(seconds(12), [this, pod] { Sync(pod); });
}

bool SimulatedKubelet::AskAgent(const PodPtr& pod, const Container& container) {
  std::vector<std::string> ids = container.ids;
  std::shuffle(ids.begin(), ids.end(), random_);
  const Granted<ContainerIdentity> found = resolver_->Resolve(ids);
  if (!found.ok()) {
    ++refused_;
    pod->last_refusal = found.refusal().sentence;
    return false;
  }
  ++granted_;
  for (const Container& other : pod->containers) {
    if (&other != &container && other.ids == container.ids) {
      ++told_apart_;
      break;
    }
  }
  const std::string truth = pod->api.pod.uid + "/" + container.status.name;
  if (found->uid + "/" + found->container != truth) {
    swaps_.push_back(truth + " was taken for " + found->uid + "/" + found->container + " by " +
                     Described(view_.Snapshot().Find(found->uid)) + " at " +
                     Spell(clock_.SteadyNow()));
  }
  // One in twelve is judged and refused, so that nothing is filled.
  if (Draw(12) == 0) return false;
  grants_.filled[GrantName(ids)] = *found;
  return true;
}

void SimulatedKubelet::Run(const PodPtr& pod, Container& container) {
  const int run = ++container.runs;
  pod->quiet_from = clock_.SteadyNow() + milliseconds(1100);  // times are in whole seconds
  container.running = true;
  container.status.state = State::kRunning;
  container.status.reason.clear();
  container.status.started_at = Spell(clock_.SteadyNow());
  container.status.finished_at.clear();
  container.status.restart_count = run - 1;
  container.status.container_id = pod->api.pod.uid + container.status.name + std::to_string(run);
  if (Draw(4) != 0) Post(pod);  // else the next status says it
  const bool init = container.kind == model::ContainerKind::kInit;
  const bool fails = container.failures < kMostFailures && Draw(init ? 4 : 10) == 0;
  if (!init && !fails) return;  // runs on
  const milliseconds lasts(Draw(3) == 0 ? 5 + Draw(4000) : 5 + Draw(60));
  At(lasts, [this, pod, &container, run, fails] { End(pod, container, run, fails ? 1 : 0); });
}

void SimulatedKubelet::End(const PodPtr& pod, Container& container, int run, int exit_code) {
  if (pod->gone || container.runs != run || !container.running) return;
  container.running = false;
  pod->quiet_from = std::max(pod->quiet_from, clock_.SteadyNow() + milliseconds(50));
  container.status.state = State::kTerminated;
  container.status.exit_code = exit_code;
  container.status.finished_at = Spell(clock_.SteadyNow());
  container.done = exit_code == 0 && container.kind == model::ContainerKind::kInit;
  if (exit_code != 0) {
    // At once the first time, later with a growing pause.
    const seconds pause(container.failures == 0 ? 0 : 10 * container.failures);
    ++container.failures;
    container.not_before = clock_.SteadyNow() + pause;
    if (pause > seconds(0)) At(pause, [this, pod] { Sync(pod); });
  }
  Post(pod);
  At(milliseconds(1 + Draw(20)), [this, pod] { Sync(pod); });
}

SimulatedKubelet::PodPtr SimulatedKubelet::Alive(const std::string& name) const {
  for (const PodPtr& pod : pods_) {
    if (pod->api.pod.key.name == name && !pod->gone) return pod;
  }
  return nullptr;
}

void SimulatedKubelet::DeleteAfter(milliseconds delay, const std::string& name) {
  At(delay, [this, name] {
    const PodPtr pod = Alive(name);
    if (pod == nullptr) return;
    pod->api.pod.deleting = true;
    Post(pod);
    At(milliseconds(Draw(500)), [this, pod] { Remove(pod); });
  });
}

// Not before the start under way has ended: until then the kubelet keeps the devices.
void SimulatedKubelet::Remove(const PodPtr& pod) {
  if (pod->busy) {
    At(milliseconds(50), [this, pod] { Remove(pod); });
    return;
  }
  pod->gone = true;
  Deliver([this, uid = pod->api.pod.uid] { view_.Remove(uid); });
}

void SimulatedKubelet::LoseSandboxAfter(milliseconds delay, const std::string& name) {
  At(delay, [this, name] {
    const PodPtr pod = Alive(name);
    if (pod == nullptr || !pod->admitted) return;
    // Not between two starts, nor before one after the first has run: see starting_container.h.
    const bool later_ran = pod->containers.back().runs > 0;
    if (pod->busy || pod->quiet_from > clock_.SteadyNow() || !later_ran) {
      LoseSandboxAfter(milliseconds(100), name);
      return;
    }
    for (Container& container : pod->containers) {
      if (!container.running) continue;
      container.running = false;
      container.status.state = State::kTerminated;
      container.status.exit_code = 137;
      container.status.finished_at = Spell(clock_.SteadyNow());
    }
    pod->sandbox = false;
    Post(pod);
    At(milliseconds(20 + Draw(300)), [this, pod] { Sync(pod); });
  });
}

void SimulatedKubelet::RestartAgentAfter(milliseconds delay, milliseconds unsynced) {
  At(delay, [this, unsynced] {
    // A start that is being asked about is asked about again by the kubelet; here it is let end.
    for (const PodPtr& pod : pods_) {
      if (pod->busy) {
        RestartAgentAfter(milliseconds(50), unsynced);
        return;
      }
    }
    resolver_ = std::make_unique<Resolver>(OptionsOfAgent(), *this, *this, *this, *this, clock_);
    view_.SetSynced(false);
    At(unsynced, [this] { view_.SetSynced(true); });
  });
}

void SimulatedKubelet::CheckpointUnreadable(milliseconds from, milliseconds to) {
  At(from, [this] { ++unreadable_; });
  At(to, [this] { --unreadable_; });
}

void SimulatedKubelet::PodResourcesFail(milliseconds from, milliseconds to, StatusCode code) {
  At(from, [this, code] { pod_resources_fail_ = code; });
  At(to, [this] { pod_resources_fail_.reset(); });
}

std::vector<std::string> SimulatedKubelet::Stuck() const {
  std::vector<std::string> stuck;
  for (const PodPtr& pod : pods_) {
    if (pod->gone) continue;
    for (const Container& container : pod->containers) {
      if (container.kind == model::ContainerKind::kApp && container.runs == 0) {
        stuck.push_back(pod->api.pod.uid + "/" + container.status.name + ": " + pod->last_refusal);
      }
    }
  }
  return stuck;
}

Result<std::shared_ptr<const Checkpoint>> SimulatedKubelet::Read() {
  if (unreadable_ > 0) return Unavailable("the kubelet's checkpoint cannot be read");
  return std::make_shared<const Checkpoint>(Checkpoint{checkpoint_});
}

PodResourcesPod SimulatedKubelet::Listing(const Pod& pod) const {
  PodResourcesPod listed;
  listed.key = pod.api.pod.key;
  for (const Container& container : pod.containers) {
    if (container.kind == model::ContainerKind::kInit) continue;
    listed.containers.push_back({container.status.name, container.ids});
  }
  return listed;
}

Result<PodResourcesPod> SimulatedKubelet::Get(const model::PodKey& key, SteadyTime) {
  if (pod_resources_fail_) return Status(*pod_resources_fail_, "fails");
  const PodPtr pod = Alive(key.name);
  if (pod == nullptr || !pod->admitted) return NotFound("no such pod");
  return Listing(*pod);
}

Result<std::vector<PodResourcesPod>> SimulatedKubelet::List(SteadyTime) {
  std::vector<PodResourcesPod> all;
  for (const PodPtr& pod : pods_) {
    if (!pod->gone && pod->admitted) all.push_back(Listing(*pod));
  }
  return all;
}

}  // namespace aliquot::agent
