// SPDX-License-Identifier: Apache-2.0
#include "admission/patch.h"

#include <gtest/gtest.h>

namespace aliquot::admission {
namespace {

using nlohmann::json;

TEST(Patch, PointersEscapeSlashAndTilde) {
  EXPECT_EQ(Patch::Member("/metadata/labels", "aliquot.io/gpu"),
            "/metadata/labels/aliquot.io~1gpu");
  EXPECT_EQ(Patch::Member("/a", "b~c/d"), "/a/b~0c~1d");
}

TEST(Patch, SetInMapMakesTheMapOnceAndLeavesEqualValuesAlone) {
  Patch patch;
  bool added = false;
  EXPECT_FALSE(SetInMap(patch, "/m", nullptr, added, "a", "1"));
  EXPECT_FALSE(SetInMap(patch, "/m", nullptr, added, "b/c", "2"));
  EXPECT_EQ(json::object().patch(patch.operations()), json::parse(R"({"m":{"a":"1","b/c":"2"}})"));

  const json map = {{"a", "1"}, {"b", "x"}};
  Patch second;
  added = false;
  EXPECT_FALSE(SetInMap(second, "/m", &map, added, "a", "1"));
  EXPECT_TRUE(second.empty());
  EXPECT_TRUE(SetInMap(second, "/m", &map, added, "b", "2"));
  EXPECT_EQ(json({{"m", map}}).patch(second.operations()),
            json::parse(R"({"m":{"a":"1","b":"2"}})"));
}

}  // namespace
}  // namespace aliquot::admission
