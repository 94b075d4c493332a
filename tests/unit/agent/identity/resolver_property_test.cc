// SPDX-License-Identifier: Apache-2.0
// Properties of the resolver against a kubelet that knows the truth. The seed is printed with every
// failure.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/agent/identity/simulated_kubelet.h"

namespace aliquot::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::IsEmpty;

TEST(ResolverProperty, ThirtyEqualPodsAtOnceNeverSwap) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SimulatedKubelet kubelet(seed);
    for (int i = 0; i < 30; ++i) {
      kubelet.CreatePodAfter(milliseconds(0), "p" + std::to_string(i), true);
    }
    kubelet.RunFor(seconds(90));
    EXPECT_THAT(kubelet.swaps(), IsEmpty()) << "seed " << seed;
    EXPECT_THAT(kubelet.Stuck(), IsEmpty()) << "seed " << seed;
    EXPECT_GE(kubelet.granted(), 30) << "seed " << seed;
  }
}

// Init containers with the IDs of those that follow, crashes, lost sandboxes, deletions and new
// pods under old names.
void LiveThroughAnything(SimulatedKubelet& kubelet, std::mt19937_64& random) {
  const auto draw = [&](int below) {
    return static_cast<int>(random() % static_cast<unsigned>(below));
  };
  for (int i = 0; i < 20; ++i) {
    const std::string name = "p" + std::to_string(i);
    kubelet.CreatePodAfter(milliseconds(draw(2000)), name, false);
    if (draw(3) == 0) kubelet.LoseSandboxAfter(milliseconds(3000 + draw(20000)), name);
    if (draw(3) == 0) {
      const int at = 2000 + draw(20000);
      kubelet.DeleteAfter(milliseconds(at), name);
      for (int again = 0; again < 4; ++again) {
        kubelet.CreatePodAfter(milliseconds(at + 200 * again), name, false);
      }
    }
  }
}

TEST(ResolverProperty, NoContainerIsEverTakenForAnother) {
  int told_apart = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SimulatedKubelet kubelet(seed);
    std::mt19937_64 random(seed);
    LiveThroughAnything(kubelet, random);
    kubelet.RunFor(seconds(240));
    EXPECT_THAT(kubelet.swaps(), IsEmpty()) << "seed " << seed;
    EXPECT_THAT(kubelet.Stuck(), IsEmpty()) << "seed " << seed;
    told_apart += kubelet.told_apart();
  }
  EXPECT_GT(told_apart, 1000) << "the property was hardly put to the test";
}

TEST(ResolverProperty, NorWhileTheAgentRestartsAndItsSourcesFail) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    SimulatedKubelet kubelet(seed);
    std::mt19937_64 random(seed);
    LiveThroughAnything(kubelet, random);
    const auto ms = [&](int below) {
      return milliseconds(random() % static_cast<unsigned>(below));
    };
    for (int i = 0; i < 4; ++i) kubelet.RestartAgentAfter(ms(30000), ms(6000));
    const milliseconds unreadable = ms(20000);
    kubelet.CheckpointUnreadable(unreadable, unreadable + ms(15000));
    const milliseconds failing = ms(20000);
    kubelet.PodResourcesFail(failing, failing + ms(20000),
                             seed % 2 == 0 ? StatusCode::kUnimplemented : StatusCode::kUnavailable);
    kubelet.RunFor(seconds(300));
    EXPECT_THAT(kubelet.swaps(), IsEmpty()) << "seed " << seed;
    EXPECT_THAT(kubelet.Stuck(), IsEmpty()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace aliquot::agent
