// SPDX-License-Identifier: Apache-2.0
#include "simulate/trace_mix.h"

#include <gtest/gtest.h>

#include "scoring/policy_registry.h"

namespace aliquot::simulate {
namespace {

TracePod Pod(std::int64_t cpu_milli, int gpus, int gpu_milli) {
  TracePod pod;
  pod.name = "p";
  pod.host.cpu_milli = cpu_milli;
  pod.gpus = gpus;
  pod.gpu_milli = gpu_milli;
  return pod;
}

TEST(TraceMix, CountsPodsThatAskForTheSameAsOneClass) {
  const std::vector<TracePod> pods = {Pod(4000, 1, 470), Pod(8000, 0, 0), Pod(4000, 1, 470),
                                      Pod(8000, 2, 1000)};
  const auto mix = MixOf(pods, DemandCache(pods));
  ASSERT_EQ(mix.size(), 3u);
  EXPECT_EQ(mix[0].core, 47);
  EXPECT_EQ(mix[0].weight, 2);
  EXPECT_EQ(mix[1].cards, 0);
  EXPECT_EQ(mix[1].weight, 1);
  EXPECT_EQ(mix[2].cards, 2);
  EXPECT_EQ(mix[2].core, 100);
}

TEST(TraceMix, PodsOfDifferentProcessorOrModelAreDifferentClasses) {
  std::vector<TracePod> pods = {Pod(4000, 1, 1000), Pod(5000, 1, 1000), Pod(4000, 1, 1000)};
  pods[2].models = {"T4"};
  EXPECT_EQ(MixOf(pods, DemandCache(pods)).size(), 3u);
}

TEST(TraceMix, OnlyFgdIsShownTheTrace) {
  for (const std::string_view name : scoring::PolicyNames()) {
    EXPECT_EQ(KnowsTheTrace(*scoring::FindPolicy(name)), name == "fgd") << name;
  }
}

}  // namespace
}  // namespace aliquot::simulate
