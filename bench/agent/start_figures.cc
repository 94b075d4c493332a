// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <exception>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "bench/agent/agent_figures.h"
#include "bench/agent/plugin_caller.h"
#include "bench/agent/simulated_node.h"
#include "bench/percentiles.h"

namespace aliquot::bench {
namespace {

constexpr int kPods = 100;
constexpr int kSmallShares = 70;
constexpr int kEqualPods = 30;

using Ids = std::vector<std::string>;

// The same calls to the agent and to the plugin that does nothing.
struct Sides {
  PluginCaller& agent;
  PluginCaller& floor;
};

struct Samples {
  Percentiles agent;
  Percentiles floor;
};

using Call = double (PluginCaller::*)(const Ids&);

void OneAfterTheOther(Sides sides, Call call, const std::vector<Ids>& all, Samples& samples) {
  for (const Ids& ids : all) {
    samples.floor.Add((sides.floor.*call)(ids));
    samples.agent.Add((sides.agent.*call)(ids));
  }
}

void AllAtOnce(PluginCaller& plugin, Call call, const std::vector<Ids>& all, Percentiles& samples) {
  std::atomic<bool> go{false};
  Mutex mutex;
  std::exception_ptr problem;
  std::vector<std::thread> threads;
  for (const Ids& ids : all) {
    threads.emplace_back([&] {
      while (!go.load()) {
        std::this_thread::yield();
      }
      try {
        const double took = (plugin.*call)(ids);
        MutexLock lock(mutex);
        samples.Add(took);
      } catch (const std::exception&) {
        MutexLock lock(mutex);
        problem = std::current_exception();
      }
    });
  }
  go.store(true);
  for (std::thread& thread : threads) {
    thread.join();
  }
  if (problem != nullptr) {
    std::rethrow_exception(problem);
  }
}

std::vector<SharePod> SmallShares() {
  std::vector<SharePod> pods;
  for (int i = 0; i < kSmallShares; ++i) {
    pods.push_back({"small-" + std::to_string(i), 2, 4, i % 8});
  }
  return pods;
}

// Beside nine small shares a card has room for four of them.
std::vector<SharePod> EqualPods(int round) {
  std::vector<SharePod> pods;
  for (int i = 0; i < kEqualPods; ++i) {
    pods.push_back({"equal-" + std::to_string(round) + "-" + std::to_string(i), 20, 60, i / 4});
  }
  return pods;
}

}  // namespace

nlohmann::json MeasureStarts(const AgentUnderTest& under_test, int rounds) {
  SimulatedNode node(under_test.program, under_test.profile);
  const std::string floor_socket = node.folder() + "/empty.sock";
  const ChildProcess floor_process({under_test.this_program, "empty-plugin", floor_socket},
                                   node.folder() + "/empty.log");
  PluginCaller agent(node.PluginSocket());
  PluginCaller floor(floor_socket);
  const Sides sides{agent, floor};
  node.AddPlainPods(kPods - kSmallShares);
  const std::vector<SharePod> small = SmallShares();
  node.AddShares(small);
  node.Start(small);
  const std::size_t writes = node.ApiWrites();

  Samples allocate;
  Samples sequential;
  Samples at_once;
  for (int round = 0; round < 2 * rounds; ++round) {
    const std::vector<SharePod> pods = EqualPods(round);
    node.AddShares(pods);
    std::vector<Ids> ids;
    for (const SharePod& pod : pods) {
      ids.push_back(node.CoreIds(pod));
    }
    if (round % 2 == 0) {
      OneAfterTheOther(sides, &PluginCaller::PreStart, ids, sequential);
    } else {
      AllAtOnce(floor, &PluginCaller::PreStart, ids, at_once.floor);
      AllAtOnce(agent, &PluginCaller::PreStart, ids, at_once.agent);
    }
    if (node.GrantsOnDisk() != kSmallShares + kEqualPods) {
      throw std::runtime_error("not every container got its grant");
    }
    node.Remove(pods);
    // Their IDs are nobody's now, as those are that a kubelet asks about.
    OneAfterTheOther(sides, &PluginCaller::Allocate, ids, allocate);
  }
  const std::size_t writes_of_starts = node.ApiWrites() - writes;
  node.agent().CheckRunning();
  return {{"allocate", allocate.agent.ToJson()},
          {"allocate_floor", allocate.floor.ToJson()},
          {"pre_start", sequential.agent.ToJson()},
          {"pre_start_floor", sequential.floor.ToJson()},
          {"pre_start_at_once", at_once.agent.ToJson()},
          {"pre_start_at_once_floor", at_once.floor.ToJson()},
          {"starts", 2 * rounds * kEqualPods},
          {"api_writes", writes_of_starts}};
}

}  // namespace aliquot::bench
