// SPDX-License-Identifier: Apache-2.0
#include "simulate/fragmentation.h"

#include <gtest/gtest.h>

namespace aliquot::simulate {
namespace {

TypicalPod Kind(std::int64_t cores, int gpus, int milli, double share = 1,
                std::vector<std::string> models = {}) {
  return {cores * 1000, gpus, milli, std::move(models), share};
}

double Of(const TypicalPod& pod, std::int64_t cores, const std::vector<int>& left,
          const std::string& model = "T4") {
  return FragmentationMeter({pod}, model).Of(cores * 1000, left);
}

// A node with 300, 500 and 1000 milli left and 10 cores free.
TEST(FragmentationMeter, CountsWhatAPodCannotUse) {
  const std::vector<int> left = {300, 500, 1000};
  EXPECT_EQ(Of(Kind(8, 1, 470), 10, left), 300) << "one GPU has too little";
  EXPECT_EQ(Of(Kind(12, 1, 470), 10, left), 1800) << "cores are short";
  EXPECT_EQ(Of(Kind(8, 2, 1000), 10, left), 1800) << "only one whole GPU";
  EXPECT_EQ(Of(Kind(8, 1, 1000), 10, left), 800);
  EXPECT_EQ(Of(Kind(8, 0, 0), 10, left), 1800) << "a pod without GPU uses none";
  EXPECT_EQ(Of(Kind(8, 1, 470, 1, {"G2", "P100"}), 10, left), 1800) << "another model";
  EXPECT_EQ(Of(Kind(8, 1, 470, 1, {"G2", "T4"}), 10, left), 300);
}

TEST(FragmentationMeter, WeighsKindsByTheirShare) {
  // 0.75 * 300 + 0.25 * 1800 = 675.
  const FragmentationMeter meter({Kind(8, 1, 470, 0.75), Kind(12, 1, 470, 0.25)}, "T4");
  EXPECT_DOUBLE_EQ(meter.Of(10'000, {300, 500, 1000}), 675);
}

TracePod Pod(int index, std::int64_t cores, int gpus, int milli) {
  TracePod pod;
  pod.name = "p" + std::to_string(index);
  pod.host.cpu_milli = cores * 1000;
  pod.host.memory_mib = index;  // told apart by no kind
  pod.gpus = gpus;
  pod.gpu_milli = milli;
  return pod;
}

// 100 pods: 60 of one kind, 35 of another, 3 and 2 of two more. The first two cover 95 %.
TEST(TypicalPods, AreTheMostFrequentKindsThatCover95Percent) {
  std::vector<TracePod> pods;
  for (int i = 0; i < 100; ++i) {
    pods.push_back(i < 35   ? Pod(i, 4, 0, 0)
                   : i < 95 ? Pod(i, 8, 1, 470)
                   : i < 98 ? Pod(i, 8, 2, 1000)
                            : Pod(i, 8, 4, 1000));
  }
  const std::vector<TypicalPod> typical = TypicalPods(pods);
  ASSERT_EQ(typical.size(), 2u);
  EXPECT_EQ(typical[0].gpu_milli, 470);
  EXPECT_DOUBLE_EQ(typical[0].share, 60.0 / 95);
  EXPECT_EQ(typical[1].gpus, 0);
  EXPECT_DOUBLE_EQ(typical[1].share, 35.0 / 95);
}

}  // namespace
}  // namespace aliquot::simulate
