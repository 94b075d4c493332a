// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>
#include <vector>

#include "bench/agent/agent_figures.h"
#include "bench/agent/simulated_node.h"

namespace aliquot::bench {

nlohmann::json MeasureIdle(const AgentUnderTest& under_test, int seconds) {
  constexpr int kPods = 100;
  constexpr int kShares = 40;
  constexpr std::chrono::seconds kSettle{5};
  SimulatedNode node(under_test.program, under_test.profile);
  node.AddPlainPods(kPods - kShares);
  std::vector<SharePod> shares;
  for (int i = 0; i < kShares; ++i) {
    shares.push_back({"share-" + std::to_string(i), 20, 60, i / 5});
  }
  node.AddShares(shares);
  node.Start(shares);
  if (node.GrantsOnDisk() != kShares) {
    throw std::runtime_error("not every share has its grant");
  }
  std::this_thread::sleep_for(kSettle);
  const std::size_t writes = node.ApiWrites();
  const ProcessFigures before = node.agent().Figures();
  const auto start = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::seconds(seconds));
  const ProcessFigures after = node.agent().Figures();
  const double took =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const nlohmann::json figures = {
      {"rss_mb", after.rss_mb},
      {"anonymous_mb", after.anonymous_mb},
      {"threads", after.threads},
      {"cpu_percent", 100 * (after.cpu_s - before.cpu_s) / took},
      {"wakeups_per_s", static_cast<double>(after.switches - before.switches) / took},
      {"api_writes", node.ApiWrites() - writes}};
  node.agent().CheckRunning();
  return figures;
}

}  // namespace aliquot::bench
