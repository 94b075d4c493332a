// SPDX-License-Identifier: Apache-2.0
#include "cli/top/ask_agents.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/mutex.h"

namespace aliquot::cli {
namespace {

// A bound for an agent in bad hands: what is read takes more memory than the page, and several are
// read at once.
constexpr std::size_t kMaxPageBytes = std::size_t{4} << 20;

bool IsRefusal(const Status& status) {
  return status.code() == StatusCode::kPermissionDenied ||
         status.code() == StatusCode::kUnauthenticated;
}

// The work of several threads: each takes the next agent until none is left.
class Asking {
 public:
  Asking(AgentProxy& proxy, const Clock& clock, const AskLimits& limits, std::string token,
         std::vector<AgentPod> agents, const std::function<void(double)>& told)
      : proxy_(proxy),
        clock_(clock),
        limits_(limits),
        end_(clock.SteadyNow() + limits.all),
        token_(std::move(token)),
        agents_(std::move(agents)),
        told_(told) {}

  Result<NodeUsages> Run() {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < std::min(limits_.at_a_time, agents_.size()); ++i) {
      threads.emplace_back([this] { Work(); });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    MutexLock lock(mutex_);
    return AllRefuse() ? Result<NodeUsages>(*refused_) : std::move(answers_);
  }

 private:
  void Work() {
    while (const AgentPod* agent = Next()) {
      Keep(*agent, AskOne(*agent));
    }
  }

  // Then the user lacks the right. One alone proves nothing: an agent can answer as the API server
  // does.
  bool AllRefuse() const REQUIRES(mutex_) { return refused_ && refusals_ == answers_.size(); }

  // The next to be asked; nullptr at the end, and once the user turned out to lack the right.
  const AgentPod* Next() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const bool hopeless = AllRefuse() && refusals_ >= limits_.at_a_time;
    return next_ < agents_.size() && !hopeless ? &agents_[next_++] : nullptr;
  }

  Result<NodeUsage> AskOne(const AgentPod& agent) {
    const SteadyTime now = clock_.SteadyNow();
    if (now >= end_) {
      return Unavailable("it was not asked: " + std::to_string(limits_.all.count()) +
                         " s were over; ask about fewer nodes");
    }
    PageRequest page;
    page.path = "/shares";
    page.max_bytes = kMaxPageBytes;
    page.timeout = std::min<std::chrono::milliseconds>(
        limits_.each, std::chrono::duration_cast<std::chrono::milliseconds>(end_ - now));
    const auto text = proxy_.Page(agent, token_, page);
    if (!text.ok()) {
      return text.status();
    }
    auto usage = ParseUsage(*text);
    return usage.ok() ? std::move(usage)
                      : usage.status().WithContext("the metrics of agent " + agent.name);
  }

  void Keep(const AgentPod& agent, Result<NodeUsage> answer) EXCLUDES(mutex_) {
    std::size_t done = 0;
    {
      MutexLock lock(mutex_);
      if (!answer.ok() && IsRefusal(answer.status())) {
        refused_ = answer.status();
        ++refusals_;
      }
      answers_.emplace(agent.node, std::move(answer));
      done = answers_.size();
    }
    told_(static_cast<double>(done) / static_cast<double>(agents_.size()));
  }

  AgentProxy& proxy_;
  const Clock& clock_;
  const AskLimits limits_;
  const SteadyTime end_;
  const std::string token_;
  const std::vector<AgentPod> agents_;
  const std::function<void(double)>& told_;
  Mutex mutex_;
  std::size_t next_ GUARDED_BY(mutex_) = 0;
  NodeUsages answers_ GUARDED_BY(mutex_);
  std::optional<Status> refused_ GUARDED_BY(mutex_);
  std::size_t refusals_ GUARDED_BY(mutex_) = 0;
};

}  // namespace

Result<NodeUsages> AskAgents(AgentProxy& proxy, const Clock& clock,
                             const std::set<std::string>& nodes, const AskLimits& limits,
                             const std::function<void(double)>& told) {
  if (nodes.empty()) {
    return NodeUsages();
  }
  const auto pods = proxy.Agents(nodes.size() == 1 ? *nodes.begin() : "");
  if (!pods.ok()) {
    return pods.status();
  }
  std::map<std::string, std::vector<AgentPod>> by_node;
  for (const AgentPod& pod : *pods) {
    by_node[nodes.size() == 1 ? *nodes.begin() : pod.node].push_back(pod);
  }
  NodeUsages silent;
  std::vector<AgentPod> agents;
  for (const std::string& node : nodes) {
    auto agent = RunningAgent(by_node[node], node, proxy.access());
    if (agent.ok()) {
      agents.push_back(*std::move(agent));
    } else {
      silent.emplace(node, agent.status());
    }
  }
  if (agents.empty()) {
    return silent;
  }
  auto token = proxy.Token();
  if (!token.ok()) {
    return token.status();
  }
  auto answers = Asking(proxy, clock, limits, *std::move(token), std::move(agents), told).Run();
  if (answers.ok()) {
    answers->merge(silent);
  }
  return answers;
}

}  // namespace aliquot::cli
