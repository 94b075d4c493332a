// SPDX-License-Identifier: Apache-2.0
#include "admission/nearest_name.h"

#include <gtest/gtest.h>

#include <string>

namespace aliquot::admission {
namespace {

TEST(NearestName, IsWithinThreeEditsOrNothing) {
  const std::vector<std::string_view> names = {"gpu-count", "gpu-model"};
  EXPECT_EQ(NearestName("gpu-cuont", names), "gpu-count");
  EXPECT_EQ(NearestName("gpumodel", names), "gpu-model");
  EXPECT_EQ(NearestName("gpu-count", names), "gpu-count");
  EXPECT_EQ(NearestName("memory", names), "");
  EXPECT_EQ(NearestName(std::string(100000, 'x'), names), "");
  EXPECT_EQ(NearestName("", names), "");
}

}  // namespace
}  // namespace aliquot::admission
