// SPDX-License-Identifier: Apache-2.0
// The replay on clusters small enough to work out by hand.
#include "simulate/openb_replay.h"

#include <gtest/gtest.h>

#include "scoring/policy_registry.h"
#include "simulate/run_figures.h"

namespace aliquot::simulate {
namespace {

TraceNode Node(const std::string& name, int gpus, const std::string& model = "T4",
               std::int64_t cpu = 96'000) {
  TraceNode node;
  node.name = name;
  node.host = {cpu, 100'000};
  node.gpus = gpus;
  node.model = model;
  return node;
}

TracePod Pod(const std::string& name, int gpus, int milli, std::int64_t cpu = 1'000) {
  TracePod pod;
  pod.name = name;
  pod.host = {cpu, 1'000};
  pod.gpus = gpus;
  pod.gpu_milli = milli;
  return pod;
}

ReplayResult Replayed(const OpenbTrace& trace, double arrivals = 1.0, std::uint64_t seed = 42,
                      std::string_view policy = "first-fit") {
  ReplayOptions options;
  options.arrivals = arrivals;
  options.seed = seed;
  const FakeClock clock;
  auto result = ReplayOpenb(trace, *scoring::FindPolicy(policy), options, clock);
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() ? *std::move(result) : ReplayResult();
}

// Four GPUs and four pods of one GPU: all placed; after each, arrived and allocated are equal.
TEST(OpenbReplay, EverythingFitsWhereThereIsRoom) {
  OpenbTrace trace;
  trace.nodes = {Node("a", 2), Node("b", 2)};
  for (int i = 0; i < 4; ++i) {
    trace.pods.push_back(Pod("p" + std::to_string(i), 1, 1000));
  }
  const ReplayResult result = Replayed(trace);
  EXPECT_EQ(result.arrived_pods, 4u);
  EXPECT_EQ(result.failed_pods, 0u);
  for (const std::size_t percent : {25u, 50u, 75u, 100u}) {
    EXPECT_EQ(result.allocated_percent.At(percent), static_cast<double>(percent));
  }
}

// Two GPUs, each takes one share of 600; the third pod fails although 800 are left.
TEST(OpenbReplay, APodThatFitsNowhereIsDroppedAndCounted) {
  OpenbTrace trace;
  trace.nodes = {Node("a", 2)};
  trace.pods = {Pod("p0", 1, 600), Pod("p1", 1, 600), Pod("p2", 1, 600)};
  const ReplayResult result = Replayed(trace, 0.9);
  EXPECT_EQ(result.arrived_pods, 3u);
  EXPECT_EQ(result.failed_pods, 1u);
  EXPECT_EQ(result.allocated_percent.At(90), 60);
  // Both GPUs have 400 left, too little for the only kind of pod: all of the idle is unusable.
  EXPECT_EQ(result.fragmentation_percent.At(90), 40);
}

TEST(OpenbReplay, ProcessorAndMemoryAreKeptToAsKubeSchedulerDoes) {
  OpenbTrace trace;
  trace.nodes = {Node("a", 2, "T4", 10'000)};
  trace.pods = {Pod("p0", 1, 1000, 6'000), Pod("p1", 1, 1000, 6'000)};
  EXPECT_EQ(Replayed(trace).failed_pods, 1u) << "12 cores asked, 10 there";
  trace.pods[1].host.cpu_milli = 4'000;
  EXPECT_EQ(Replayed(trace).failed_pods, 0u);
  trace.pods[1].host.memory_mib = 99'001;
  EXPECT_EQ(Replayed(trace).failed_pods, 1u);
}

TEST(OpenbReplay, APodGetsOnlyTheModelsItNames) {
  OpenbTrace trace;
  trace.nodes = {Node("a", 1, "T4"), Node("b", 1, "G2")};
  trace.pods = {Pod("p0", 1, 1000), Pod("p1", 1, 1000)};
  trace.pods[0].models = {"G2"};
  trace.pods[1].models = {"G2", "T4"};
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    // p1 may take the G2 first; then p0 has none.
    const std::size_t failed = Replayed(trace, 1.0, seed).failed_pods;
    EXPECT_LE(failed, 1u) << "seed " << seed;
  }
  trace.pods[1].models = {"P100"};
  EXPECT_EQ(Replayed(trace).failed_pods, 1u) << "no P100 is there";
}

TEST(OpenbReplay, PodsWithoutGpuGoToNodesWithoutGpuFirst) {
  OpenbTrace trace;
  trace.nodes = {Node("a", 1, "T4", 1'000), Node("plain", 0, "", 50'000)};
  trace.pods = {Pod("cpu", 0, 0, 1'000), Pod("gpu", 1, 1000, 1'000)};
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    EXPECT_EQ(Replayed(trace, 1.0, seed).failed_pods, 0u)
        << "seed " << seed << ": the pod without GPU took the only core beside the GPU";
  }
}

TEST(OpenbReplay, PodsWithoutGpuTakeHostRoomOnGpuNodes) {
  OpenbTrace trace;
  trace.nodes = {Node("a", 1, "T4", 1'000)};
  trace.pods = {Pod("cpu", 0, 0, 1'000), Pod("gpu", 1, 1000, 1'000)};
  const ReplayResult result = Replayed(trace);
  EXPECT_EQ(result.failed_pods, result.arrived_pods - 1) << "one core, so one pod";
}

// 455 milli is placed as 46 %, so two fit on a GPU, but the figures count 910.
TEST(OpenbReplay, FiguresCountTheTracesOwnMilli) {
  OpenbTrace trace;
  trace.nodes = {Node("a", 1)};
  trace.pods = {Pod("p0", 1, 455), Pod("p1", 1, 455)};
  const ReplayResult result = Replayed(trace, 0.91);
  EXPECT_EQ(result.failed_pods, 0u);
  EXPECT_DOUBLE_EQ(*result.allocated_percent.At(91), 91);
}

TEST(OpenbReplay, RepeatsWithTheSameSeedOnly) {
  OpenbTrace trace;
  for (int i = 0; i < 6; ++i) {
    trace.nodes.push_back(Node("n" + std::to_string(i), 1 + i % 3));
  }
  for (int i = 0; i < 40; ++i) {
    trace.pods.push_back(Pod("p" + std::to_string(i), 1 + i % 2, i % 2 == 0 ? 370 : 1000));
  }
  const auto values = [&trace](std::uint64_t seed) {
    const ReplayResult result = Replayed(trace, 1.3, seed, "binpack");
    std::vector<std::optional<double>> all;
    for (std::size_t i = 0; i < result.allocated_percent.size(); ++i) {
      all.push_back(result.allocated_percent.At(i));
    }
    return all;
  };
  EXPECT_EQ(values(7), values(7));
  EXPECT_NE(values(7), values(8));
}

// Two pods of two GPUs on four cards of which 0-1 and 2-3 are pairs: each gets a pair.
TEST(OpenbReplay, MeasuresTheRingsWhereLinksAreGiven) {
  OpenbTrace trace;
  trace.nodes = {Node("a", 4)};
  trace.pods = {Pod("p0", 2, 1000), Pod("p1", 2, 1000)};
  topology::Description description;
  description.cards.resize(4);
  for (int i = 0; i < 4; ++i) {
    description.cards[static_cast<std::size_t>(i)].numa = 0;
  }
  const auto nvlink = topology::MakeLink(topology::LinkClass::kNvlink, 4);
  const auto node = topology::MakeLink(topology::LinkClass::kNode);
  description.links = {nvlink, node, node, node, node, nvlink};
  ReplayOptions options;
  options.arrivals = 1.0;
  ASSERT_TRUE(options.links.Add("4", description).ok());
  const FakeClock clock;
  const auto result = ReplayOpenb(trace, *scoring::FindPolicy("composite"), options, clock);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result->multi_card.pods, 2u);
  EXPECT_EQ(result->multi_card.ring_of_best, 1);
}

TEST(OpenbReplay, NamesThePodThatTheResourceModelRefuses) {
  OpenbTrace trace;
  trace.nodes = {Node("a", 1)};
  trace.pods = {Pod("p0", 1, 1000)};
  trace.pods[0].models = {"bad,name"};
  const FakeClock clock;
  // "bad,name" reads as two models, neither of which is there: the pod fits nowhere.
  const auto result = ReplayOpenb(trace, *scoring::FindPolicy("composite"), {}, clock);
  if (result.ok()) {
    EXPECT_EQ(result->failed_pods, result->arrived_pods);
  } else {
    EXPECT_EQ(result.status().message().rfind("pod \"p0\": ", 0), 0u);
  }
}

}  // namespace
}  // namespace aliquot::simulate
