// SPDX-License-Identifier: Apache-2.0
#include "api/filter_result.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "api/host_priority.h"
#include "tests/unit/api/recorded.h"

namespace aliquot::api {
namespace {

using nlohmann::json;

ExtenderArgs Args(const std::string& body) {
  return ParseExtenderArgs(body, model::ResourceNames()).value();
}

TEST(WriteFilterResult, KeepsNamesAndGivesEachRefusedNodeItsReason) {
  const ExtenderArgs args = Args(R"({"Pod":{},"NodeNames":["n1","n2","n3"]})");
  std::string out;
  WriteFilterResult(out, args, {{0}, {{"n2", "no card has room"}}, {{"n3", "no GPU inventory"}}});
  EXPECT_EQ(out, R"({"Nodes":null,"NodeNames":["n1"],"FailedNodes":{"n2":"no card has room"},)"
                 R"("FailedAndUnresolvableNodes":{"n3":"no GPU inventory"},"Error":""})");
}

TEST(WriteFilterResult, NoNodeIsAnEmptyListNotNull) {
  std::string out;
  WriteFilterResult(out, Args(R"({"Pod":{},"NodeNames":[]})"), {});
  EXPECT_EQ(
      out,
      R"({"Nodes":null,"NodeNames":[],"FailedNodes":{},"FailedAndUnresolvableNodes":{},"Error":""})");
}

TEST(WriteFilterResult, ReturnsWholeNodesUnchanged) {
  const std::string body = Recorded("extender/nodes/filter-simple.json");
  const ExtenderArgs args = Args(body);
  std::string out;
  WriteFilterResult(out, args, {{0, 2}, {{"n2", "busy"}}, {}});
  const json reply = json::parse(out);
  const json sent = json::parse(body);
  ASSERT_EQ(reply["Nodes"]["items"].size(), 2u);
  EXPECT_EQ(reply["Nodes"]["items"][0], sent["Nodes"]["items"][0]);
  EXPECT_EQ(reply["Nodes"]["items"][1], sent["Nodes"]["items"][2]);
  EXPECT_TRUE(reply["NodeNames"].is_null());
  EXPECT_EQ(reply["FailedNodes"]["n2"], "busy");
}

TEST(WriteFilterResult, EscapesHostileNamesAndReasons) {
  const ExtenderArgs args = Args(R"({"Pod":{},"NodeNames":["a\"},{\u0000\\é"]})");
  std::string out;
  WriteFilterResult(out, args, {{0}, {{args.node_names[0], "line\nbreak \"quoted\""}}, {}});
  const json reply = json::parse(out);
  EXPECT_EQ(reply["NodeNames"][0].get<std::string>(), args.node_names[0]);
  EXPECT_EQ(reply["FailedNodes"][std::string(args.node_names[0])], "line\nbreak \"quoted\"");
}

TEST(WriteFilterError, CarriesOnlyTheSentence) {
  std::string out;
  WriteFilterError(out, "the request body is empty; send JSON");
  const json reply = json::parse(out);
  EXPECT_EQ(reply["Error"], "the request body is empty; send JSON");
  EXPECT_TRUE(reply["NodeNames"].is_null());
}

TEST(WriteHostPriorityList, IsABareArray) {
  std::string out;
  WriteHostPriorityList(out, {{"n1", 10}, {"n\"2", 0}});
  EXPECT_EQ(out, R"([{"Host":"n1","Score":10},{"Host":"n\"2","Score":0}])");
  out.clear();
  WriteHostPriorityList(out, {});
  EXPECT_EQ(out, "[]");
}

}  // namespace
}  // namespace aliquot::api
