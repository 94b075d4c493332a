// SPDX-License-Identifier: Apache-2.0
#include "api/extender_args.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "api/json_document.h"
#include "tests/unit/api/recorded.h"

namespace aliquot::api {
namespace {

using nlohmann::json;

Result<ExtenderArgs> Parse(std::string_view body) {
  return ParseExtenderArgs(body, model::ResourceNames());
}

std::string Refusal(std::string_view body) { return Parse(body).status().message(); }

TEST(ParseExtenderArgs, ReadsWhatKubeSchedulerSends) {
  for (const char* version : {"extender", "extender-1.37"}) {
    const auto args = Parse(Recorded(std::string(version) + "/names/filter-simple.json"));
    ASSERT_TRUE(args.ok()) << args.status().ToString();
    EXPECT_EQ(args->pod.key.ToString(), "default/simple");
    EXPECT_EQ(args->pod.gpu_containers.size(), 1u);
    EXPECT_TRUE(args->has_node_names);
    EXPECT_FALSE(args->has_nodes);
    // In the order asked, which is not the order of names.
    const auto asked = json::parse(Recorded(std::string(version) + "/names/filter-simple.json"));
    const auto names = asked["NodeNames"].get<std::vector<std::string>>();
    EXPECT_EQ(std::vector<std::string>(args->node_names.begin(), args->node_names.end()), names);
    EXPECT_EQ(names.size(), 3u);
  }
}

TEST(ParseExtenderArgs, ReadsSeveralContainersInitContainersAndSidecars) {
  for (const char* file :
       {"extender/names/filter-multi.json", "extender-1.37/names/filter-multi.json",
        "extender/nodes/filter-multi.json"}) {
    const auto args = Parse(Recorded(file));
    ASSERT_TRUE(args.ok()) << args.status().ToString();
    ASSERT_EQ(args->pod.gpu_containers.size(), 4u) << file;
    EXPECT_EQ(args->pod.gpu_containers[0].name, "prep");
    EXPECT_EQ(args->pod.gpu_containers[1].kind, model::ContainerKind::kSidecar);
    EXPECT_EQ(args->pod.gpu_containers[3].name, "second");
    EXPECT_EQ(args->pod.gpu_containers[3].index, 2);
  }
}

TEST(ParseExtenderArgs, KeepsWholeNodesAsTheyCame) {
  for (const char* file :
       {"extender/nodes/filter-simple.json", "extender-1.37/nodes/filter-simple.json"}) {
    const std::string body = Recorded(file);
    const auto args = Parse(body);
    ASSERT_TRUE(args.ok()) << args.status().ToString();
    EXPECT_TRUE(args->has_nodes);
    EXPECT_FALSE(args->has_node_names);
    EXPECT_EQ(args->node_names, (std::vector<std::string_view>{"n1", "n2", "n3"}));
    ASSERT_EQ(args->node_items.size(), 3u);
    const json whole = json::parse(body);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NE(body.find(args->node_items[i]), std::string::npos);
      EXPECT_EQ(json::parse(args->node_items[i]), whole["Nodes"]["items"][i]);
    }
  }
}

TEST(ParseExtenderArgs, ViewsOutliveAMoveOfTheArguments) {
  auto args = Parse(Recorded("extender/names/filter-simple.json"));
  ASSERT_TRUE(args.ok());
  const ExtenderArgs moved = std::move(args).value();
  JsonDocument other;
  ASSERT_TRUE(other.Parse(R"(["x1","x2","x3"])", kMaxRequestDepth).ok());
  EXPECT_EQ(moved.node_names[2], "n3");
}

TEST(ParseExtenderArgs, KeysMayComeInAnyLetterCase) {
  const auto names = Parse(R"({"pod":{"metadata":{"name":"p"}},"nodenames":["a"]})");
  ASSERT_TRUE(names.ok()) << names.status().ToString();
  EXPECT_EQ(names->node_names.size(), 1u);
  const auto nodes = Parse(
      R"({"pod":{},"nodes":{"items":[{"metadata":{"name":"a"}} , {"metadata":{"name":"b"}}]}})");
  ASSERT_TRUE(nodes.ok()) << nodes.status().ToString();
  EXPECT_EQ(nodes->node_items[0], R"({"metadata":{"name":"a"}})" + std::string(" "));
}

TEST(ParseExtenderArgs, AnEmptyListIsNotAMissingOne) {
  const auto empty = Parse(R"({"Pod":{},"Nodes":null,"NodeNames":[]})");
  ASSERT_TRUE(empty.ok());
  EXPECT_TRUE(empty->has_node_names);
  EXPECT_TRUE(empty->node_names.empty());
  const auto empty_nodes =
      Parse(R"({"Pod":{},"Nodes":{"metadata":{},"items":null},"NodeNames":null})");
  ASSERT_TRUE(empty_nodes.ok()) << empty_nodes.status().ToString();
  EXPECT_TRUE(empty_nodes->has_nodes);
  EXPECT_TRUE(empty_nodes->node_names.empty());
  EXPECT_EQ(Refusal(R"({"Pod":{},"Nodes":null,"NodeNames":null})"),
            "the request body: NodeNames and Nodes are both missing; send the candidates");
}

TEST(ParseExtenderArgs, OfARepeatedKeyTheLastHolds) {
  const auto names = Parse(R"({"Pod":{},"NodeNames":["a"],"NodeNames":["b","c"]})");
  ASSERT_TRUE(names.ok());
  EXPECT_EQ(names->node_names.size(), 2u);
  const auto nodes = Parse(R"({"Pod":{},"Nodes":{"items":[{"metadata":{"name":"a"}}]},)"
                           R"("Nodes":{"items":7,"items":[{"metadata":{"name":"b"}}]}})");
  ASSERT_TRUE(nodes.ok()) << nodes.status().ToString();
  ASSERT_EQ(nodes->node_items.size(), 1u);
  EXPECT_EQ(nodes->node_items[0], R"({"metadata":{"name":"b"}})");
}

TEST(ParseExtenderArgs, BadBodiesAreRefusedInOneSentence) {
  EXPECT_EQ(Refusal(""), "the request body is empty; send JSON");
  EXPECT_EQ(Refusal("[]"), "the request body is a list; it must be an object");
  EXPECT_EQ(Refusal("{}"), "the request body: Pod is missing; send the pod to place");
  EXPECT_EQ(Refusal(R"({"Pod":{},"NodeNames":"n1"})"),
            "the request body: NodeNames is a string; it must be a list");
  EXPECT_EQ(Refusal(R"({"Pod":{},"NodeNames":["n1",2]})"),
            "the request body: NodeNames[1] is a number; it must be a string");
  EXPECT_EQ(Refusal(R"({"Pod":{},"Nodes":{"items":[{"metadata":{}}]}})"),
            "the request body: Nodes.items[0].metadata.name is missing; name each node");
  EXPECT_EQ(Refusal(R"({"Pod":{},"Nodes":{"items":[3]}})"),
            "the request body: Nodes.items[0] is a number; it must be an object");
  EXPECT_EQ(Refusal(R"({"Pod":{"spec":7},"NodeNames":[]})"),
            "the request body: the pod: spec is a number; it must be an object");
  EXPECT_EQ(Refusal(R"({"Pod":)" + std::string(100000, '[') + std::string(100000, ']') + "}"),
            "the request body is nested deeper than 64 levels; send less nesting");
}

TEST(ParseExtenderArgs, NamesThatKubernetesWouldNotHaveGivenAreRefused) {
  const std::string flood(1 << 20, 'u');
  for (const char* field : {"name", "namespace", "uid"}) {
    const json args = {{"Pod", {{"metadata", {{field, flood}}}}}, {"NodeNames", json::array()}};
    EXPECT_EQ(Refusal(args.dump()), "the request body: the pod: metadata." + std::string(field) +
                                        " is \"" + flood.substr(0, 80) +
                                        "...\"; send the pod as the API server has it");
  }
  EXPECT_EQ(
      Refusal(R"({"Pod":{"metadata":{"uid":"a\nb"}},"NodeNames":[]})"),
      "the request body: the pod: metadata.uid is \"a?b\"; send the pod as the API server has it");
  const json limits = {{"tencent.com/vcuda-core", "100"}};
  const json container = {{"name", "A b"}, {"resources", {{"limits", limits}}}};
  EXPECT_EQ(
      Refusal(
          json({{"Pod", {{"spec", {{"containers", {container}}}}}}, {"NodeNames", json::array()}})
              .dump()),
      "the request body: the pod: the name of a container is \"A b\"; send the pod as the API "
      "server has it");
}

TEST(ParseExtenderArgs, AHundredThousandCandidatesAreReadAndNotOneMore) {
  json names = {{"Pod", json::object()}, {"NodeNames", json::array()}};
  json nodes = {{"Pod", json::object()}, {"Nodes", {{"items", json::array()}}}};
  for (std::size_t i = 0; i < kMaxCandidates; ++i) {
    names["NodeNames"].push_back("");
    nodes["Nodes"]["items"].push_back({{"metadata", {{"name", "n"}}}});
  }
  EXPECT_EQ(Parse(names.dump())->node_names.size(), kMaxCandidates);
  EXPECT_EQ(Parse(nodes.dump())->node_items.size(), kMaxCandidates);
  names["NodeNames"].push_back("");
  nodes["Nodes"]["items"].push_back({{"metadata", {{"name", "n"}}}});
  EXPECT_EQ(Refusal(names.dump()),
            "the request body: NodeNames lists more than 100000 nodes; send at most that many "
            "candidates");
  EXPECT_EQ(Refusal(nodes.dump()),
            "the request body: Nodes.items lists more than 100000 nodes; send at most that many "
            "candidates");
}

TEST(ParseExtenderArgs, EveryTruncationIsRefused) {
  for (const char* file :
       {"extender/names/filter-simple.json", "extender/nodes/filter-simple.json"}) {
    std::string body = Recorded(file);
    body.erase(body.find_last_not_of('\n') + 1);
    for (std::size_t length = 0; length < body.size(); ++length) {
      EXPECT_FALSE(Parse(std::string_view(body).substr(0, length)).ok()) << length;
    }
  }
}

TEST(ParseExtenderArgs, NineMegabytesOfNodesAreRead) {
  const json one = json::parse(Recorded("extender/nodes/filter-simple.json"));
  json args = {{"Pod", one["Pod"]},
               {"NodeNames", nullptr},
               {"Nodes", {{"metadata", json::object()}, {"items", json::array()}}}};
  json node = one["Nodes"]["items"][0];
  node["metadata"]["annotations"]["padding"] = std::string(7000, 'x');
  for (int i = 0; i < 1000; ++i) {
    node["metadata"]["name"] = "n" + std::to_string(i);
    args["Nodes"]["items"].push_back(node);
  }
  const std::string body = args.dump();
  ASSERT_GT(body.size(), std::size_t{8} << 20);
  const auto parsed = Parse(body);
  ASSERT_TRUE(parsed.ok()) << parsed.status().ToString();
  ASSERT_EQ(parsed->node_items.size(), 1000u);
  EXPECT_EQ(parsed->node_names[999], "n999");
  EXPECT_EQ(parsed->node_items[999], args["Nodes"]["items"][999].dump());
}

}  // namespace
}  // namespace aliquot::api
