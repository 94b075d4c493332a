// SPDX-License-Identifier: Apache-2.0
#include "simulate/arrivals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace aliquot::simulate {
namespace {

TracePod Pod(const std::string& name, int gpus, int milli) {
  TracePod pod;
  pod.name = name;
  pod.gpus = gpus;
  pod.gpu_milli = milli;
  return pod;
}

std::int64_t Asked(const std::vector<TracePod>& pods, const std::vector<Arrival>& arrivals) {
  std::int64_t total = 0;
  for (const Arrival& arrival : arrivals) {
    total += pods[arrival.pod].total_milli();
  }
  return total;
}

TEST(InflatedArrivals, BeginWithEveryPodOnceAndAddNumberedClones) {
  const std::vector<TracePod> pods = {Pod("b", 1, 1000), Pod("a", 1, 500), Pod("c", 0, 0)};
  RandomStream random(1);
  // 10 GPUs: the three pods ask for 1.5, so clones follow up to 10.
  const auto arrivals = InflatedArrivals(pods, 1.0, 10'000, random);
  ASSERT_TRUE(arrivals.ok());
  std::map<std::size_t, int> copies;
  for (std::size_t i = 0; i < arrivals->size(); ++i) {
    const Arrival& arrival = (*arrivals)[i];
    EXPECT_EQ(arrival.copy == 0, i < 3) << i;
    EXPECT_EQ(arrival.copy, copies[arrival.pod]++);
  }
  EXPECT_EQ(copies.size(), 3u);
  EXPECT_LE(Asked(pods, *arrivals), 10'000);
}

// Two GPUs asked, limit 3 GPUs: one GPU of the drawn pod still fits (2 + 1 <= 3), so the pod is
// added with both of its GPUs, to 4; the next draw (4 + 1 > 3) ends it.
TEST(InflatedArrivals, CountOneGpuOfTheDrawnPodAgainstTheLimit) {
  const std::vector<TracePod> pods = {Pod("a", 2, 1000)};
  RandomStream random(1);
  const auto arrivals = InflatedArrivals(pods, 1.0, 3'000, random);
  ASSERT_TRUE(arrivals.ok());
  EXPECT_EQ(Asked(pods, *arrivals), 4'000);
}

TEST(InflatedArrivals, CutATraceThatAsksForTooMuch) {
  std::vector<TracePod> pods;
  for (int i = 0; i < 20; ++i) {
    pods.push_back(Pod("p" + std::to_string(i), 1, 1000));
  }
  RandomStream random(5);
  const auto arrivals = InflatedArrivals(pods, 1.3, 10'000, random);
  ASSERT_TRUE(arrivals.ok());
  // 20 GPUs asked, 13 allowed, one GPU a pod: exactly 13 stay, each once.
  EXPECT_EQ(arrivals->size(), 13u);
  std::vector<std::size_t> kept;
  for (const Arrival& arrival : *arrivals) {
    EXPECT_EQ(arrival.copy, 0);
    kept.push_back(arrival.pod);
  }
  std::sort(kept.begin(), kept.end());
  EXPECT_EQ(std::unique(kept.begin(), kept.end()), kept.end());
}

// What is cut is each time one of those left, drawn uniformly: the same as erasing from a list.
TEST(InflatedArrivals, CutLikeErasingOneDrawnArrivalAfterTheOther) {
  for (const int count : {1, 2, 7, 8, 9, 100}) {
    std::vector<TracePod> pods;
    std::vector<Arrival> expected;
    for (int i = 0; i < count; ++i) {
      pods.push_back(Pod("p" + std::to_string(1000 + i), 1, 1000));
      expected.push_back({static_cast<std::size_t>(i), 0});
    }
    RandomStream random(3);
    random.Shuffle(expected);
    const int limit = count / 3;
    while (static_cast<int>(expected.size()) > limit) {
      expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(random.Below(expected.size())));
    }
    RandomStream again(3);
    const auto arrivals = InflatedArrivals(pods, limit + 0.5, 1000, again);
    ASSERT_TRUE(arrivals.ok());
    ASSERT_EQ(arrivals->size(), expected.size()) << count;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ((*arrivals)[i].pod, expected[i].pod) << count << ", " << i;
    }
  }
}

TEST(InflatedArrivals, DoNotDependOnTheOrderOfTheFile) {
  std::vector<TracePod> pods = {Pod("a", 1, 100), Pod("b", 1, 200), Pod("c", 2, 1000)};
  RandomStream random(9);
  const auto arrivals = InflatedArrivals(pods, 1.3, 20'000, random);
  std::vector<std::string> names;
  for (const Arrival& arrival : *arrivals) {
    names.push_back(pods[arrival.pod].name);
  }
  std::reverse(pods.begin(), pods.end());
  RandomStream again(9);
  const auto reversed = InflatedArrivals(pods, 1.3, 20'000, again);
  ASSERT_EQ(reversed->size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(pods[(*reversed)[i].pod].name, names[i]);
  }
}

TEST(InflatedArrivals, NeedGpusOnBothSides) {
  RandomStream random(1);
  EXPECT_EQ(InflatedArrivals({Pod("a", 0, 0)}, 1.3, 1000, random).status().message(),
            "no pod asks for a GPU; give a trace with num_gpu above 0");
  EXPECT_EQ(InflatedArrivals({Pod("a", 1, 1)}, 1.3, 0, random).status().message(),
            "no node has a GPU; give nodes with gpu above 0");
}

TEST(InflatedArrivals, RefuseMoreThanCanBeReplayed) {
  RandomStream random(1);
  const auto arrivals = InflatedArrivals({Pod("a", 1, 1)}, 100, 1'000'000, random);
  EXPECT_EQ(arrivals.status().message(),
            "more than 2000000 pods would arrive; use a lower --arrivals or fewer nodes");
}

}  // namespace
}  // namespace aliquot::simulate
