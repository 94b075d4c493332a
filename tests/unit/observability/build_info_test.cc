// SPDX-License-Identifier: Apache-2.0
#include "observability/build_info.h"

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace aliquot::observability {
namespace {

TEST(BuildInfo, IsJsonWithVersionAndCommit) {
  const nlohmann::json info = nlohmann::json::parse(BuildInfoJson());
  EXPECT_EQ(info.at("version"), Version());
  EXPECT_EQ(info.at("commit"), Commit());
  EXPECT_FALSE(Version().empty());
  EXPECT_FALSE(Commit().empty());
}

}  // namespace
}  // namespace aliquot::observability
