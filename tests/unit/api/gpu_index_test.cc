// SPDX-License-Identifier: Apache-2.0
#include "api/gpu_index.h"

#include <gtest/gtest.h>

namespace aliquot::api {
namespace {

TEST(GpuIndex, KeysNameTheContainer) {
  EXPECT_EQ(GpuIndexKey(12), "tencent.com/predicate-gpu-idx-12");
  EXPECT_EQ(ParseGpuIndexKey("tencent.com/predicate-gpu-idx-12"), 12);
  EXPECT_FALSE(ParseGpuIndexKey("tencent.com/predicate-gpu-idx-"));
  EXPECT_FALSE(ParseGpuIndexKey("tencent.com/predicate-gpu-idx--1"));
  EXPECT_FALSE(ParseGpuIndexKey("tencent.com/predicate-node"));
}

TEST(GpuIndex, ValuesAreMinorNumbers) {
  EXPECT_EQ(FormatGpuIndexes({3}), "3");
  EXPECT_EQ(FormatGpuIndexes({0, 1, 10}), "0,1,10");
  EXPECT_EQ(*ParseGpuIndexes("0,1,10"), (std::vector<int>{0, 1, 10}));
  for (const char* bad : {"", ",", "1,", "a", "-1", " 1", "1,1", "65536", "99999999999999999999"}) {
    EXPECT_FALSE(ParseGpuIndexes(bad).ok()) << bad;
  }
  EXPECT_EQ(ParseGpuIndexes("x").status().message(),
            "the GPU indexes are \"x\"; write minor numbers separated by commas, such as 0,1");
}

}  // namespace
}  // namespace aliquot::api
