// SPDX-License-Identifier: Apache-2.0
#include "api/binding_codec.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/unit/api/recorded.h"

namespace aliquot::api {
namespace {

using nlohmann::json;

TEST(FormatBinding, IsTheBodyThatTheApiServerAccepts) {
  const json binding = json::parse(FormatBinding(
      {"ns", "p"}, "u-1", "n1",
      {{"tencent.com/predicate-gpu-idx-0", "3"}, {"aliquot.io/allocation", "{\"v\":1}"}}));
  EXPECT_EQ(
      binding,
      json::parse(
          R"({"apiVersion":"v1","kind":"Binding","metadata":{"name":"p","namespace":"ns","uid":"u-1",
      "annotations":{"tencent.com/predicate-gpu-idx-0":"3","aliquot.io/allocation":"{\"v\":1}"}},
      "target":{"kind":"Node","name":"n1"}})"));
  const json recorded = json::parse(Recorded("binding/request.json"));
  EXPECT_EQ(recorded["kind"], binding["kind"]);
  EXPECT_EQ(recorded["target"]["kind"], binding["target"]["kind"]);
}

TEST(CheckAnnotations, RefusesWhatWouldBreakThePodForEver) {
  EXPECT_TRUE(CheckAnnotations({{"aliquot.io/allocation", "x"}}).ok());
  EXPECT_EQ(CheckAnnotations({{"aliquot.io/", "x"}}).message(),
            "annotation key \"aliquot.io/\" is not a qualified name; use domain/name");
  EXPECT_FALSE(CheckAnnotations({{"aliquot.io/a b", "x"}}).ok());
  EXPECT_FALSE(CheckAnnotations({{"aliquot.io/a", std::string(300000, 'x')}}).ok());
}

}  // namespace
}  // namespace aliquot::api
