// SPDX-License-Identifier: Apache-2.0
// What keeps a pod from a node by the Node object alone.
#include <gtest/gtest.h>

#include "cli/why/node_side.h"

namespace aliquot::cli {
namespace {

using nlohmann::json;

NodeSide Node() {
  NodeSide node;
  node.name = "a";
  node.labels.Add("pool", "gpu");
  node.labels.Add("cards", "8");
  return node;
}

NodeSide Tainted(const std::string& value = "ml", const std::string& effect = "NoSchedule") {
  NodeSide node = Node();
  node.taints.push_back({"dedicated", value, effect});
  return node;
}

json Tolerating(const json& toleration) {
  return {{"spec", {{"tolerations", json::array({toleration})}}}};
}

json Requiring(const json& terms) {
  return {{"spec",
           {{"affinity",
             {{"nodeAffinity",
               {{"requiredDuringSchedulingIgnoredDuringExecution",
                 {{"nodeSelectorTerms", terms}}}}}}}}}};
}

json Expression(const std::string& key, const std::string& comparison,
                const std::vector<std::string>& values) {
  return {{"matchExpressions", {{{"key", key}, {"operator", comparison}, {"values", values}}}}};
}

TEST(NodeSide, ReadsAPageOfTheList) {
  const auto page = ParseNodeSides(
      R"({"metadata":{"resourceVersion":"1","continue":"next"},"items":[{"metadata":{"name":"a",
      "labels":{"pool":"gpu"}},"spec":{"taints":[{"key":"k","value":"v","effect":"NoExecute"},
      {"key":"bare","effect":"NoSchedule"}]},"status":{"allocatable":{"x/core":"200"}}},
      {"metadata":{"name":"b"}}]})",
      "x/core");
  ASSERT_TRUE(page.ok()) << page.status().message();
  ASSERT_EQ(page->items.size(), 2u);
  EXPECT_EQ(page->continue_token, "next");
  EXPECT_EQ(page->items[0].core, "200");
  EXPECT_EQ(page->items[0].labels.Find("pool"), "gpu");
  EXPECT_EQ(page->items[0].taints[0].ToString(), "k=v:NoExecute");
  EXPECT_EQ(page->items[0].taints[1].ToString(), "bare:NoSchedule");
  EXPECT_EQ(page->items[1].core, "");
  EXPECT_FALSE(ParseNodeSides("{}", "x/core").ok());
}

TEST(NodeSide, AnUntoleratedTaintIsNamed) {
  const Objection objection = ObjectionOf(json::object(), Tainted());
  EXPECT_EQ(objection.code, "taints");
  EXPECT_EQ(objection.says, "it does not tolerate the taint dedicated=ml:NoSchedule");
  EXPECT_EQ(ObjectionOf(json::object(), Tainted("ml", "NoExecute")).code, "taints");
  EXPECT_EQ(ObjectionOf(json::object(), Tainted("ml", "PreferNoSchedule")).code, "");
  EXPECT_EQ(ObjectionOf(json::object(), Node()).code, "");
}

TEST(NodeSide, TolerationsMatchAsKubernetesMatchesThem) {
  const NodeSide node = Tainted();
  const std::pair<json, bool> cases[] = {
      {{{"key", "dedicated"}, {"operator", "Exists"}}, true},
      {{{"operator", "Exists"}}, true},
      {{{"key", "dedicated"}, {"value", "ml"}}, true},
      {{{"key", "dedicated"}, {"operator", "Equal"}, {"value", "ml"}, {"effect", "NoSchedule"}},
       true},
      {{{"key", "dedicated"}, {"value", "web"}}, false},
      {{{"key", "other"}, {"operator", "Exists"}}, false},
      {{{"key", "dedicated"}, {"operator", "Exists"}, {"effect", "NoExecute"}}, false},
      {{{"value", "ml"}}, false},
  };
  for (const auto& [toleration, tolerated] : cases) {
    EXPECT_EQ(ObjectionOf(Tolerating(toleration), node).code.empty(), tolerated)
        << toleration.dump();
  }
}

TEST(NodeSide, ACordonIsTheLedgersToTell) {
  NodeSide node = Node();
  node.taints.push_back({"node.kubernetes.io/unschedulable", "", "NoSchedule"});
  EXPECT_EQ(ObjectionOf(json::object(), node).code, "");
}

TEST(NodeSide, ASelectorComesBeforeTaints) {
  const json pod = {{"spec", {{"nodeSelector", {{"pool", "cpu"}}}}}};
  const Objection objection = ObjectionOf(pod, Tainted());
  EXPECT_EQ(objection.code, "affinity");
  EXPECT_EQ(objection.says, "its nodeSelector asks for the label pool=cpu");
  EXPECT_EQ(ObjectionOf({{"spec", {{"nodeSelector", {{"pool", "gpu"}}}}}}, Tainted()).code,
            "taints");
}

TEST(NodeSide, AffinityMatchesAsKubernetesMatchesIt) {
  const std::pair<json, bool> cases[] = {
      {Expression("pool", "In", {"cpu", "gpu"}), true},
      {Expression("pool", "In", {"cpu"}), false},
      {Expression("zone", "In", {"a"}), false},
      {Expression("pool", "NotIn", {"cpu"}), true},
      {Expression("pool", "NotIn", {"gpu"}), false},
      {Expression("zone", "NotIn", {"a"}), true},
      {Expression("pool", "Exists", {}), true},
      {Expression("zone", "Exists", {}), false},
      {Expression("zone", "DoesNotExist", {}), true},
      {Expression("pool", "DoesNotExist", {}), false},
      {Expression("cards", "Gt", {"7"}), true},
      {Expression("cards", "Gt", {"8"}), false},
      {Expression("cards", "Lt", {"9"}), true},
      {Expression("pool", "Lt", {"9"}), false},
      {Expression("zone", "Gt", {"1"}), false},
      {Expression("pool", "NewerThanUs", {}), true},
      {json::object(), false},
      {{{"matchFields", {{{"key", "metadata.name"}, {"operator", "In"}, {"values", {"a"}}}}}},
       true},
      {{{"matchFields", {{{"key", "metadata.name"}, {"operator", "In"}, {"values", {"b"}}}}}},
       false},
  };
  for (const auto& [term, matches] : cases) {
    EXPECT_EQ(ObjectionOf(Requiring(json::array({term})), Node()).code.empty(), matches)
        << term.dump();
  }
}

TEST(NodeSide, OneTermOfSeveralIsEnough) {
  EXPECT_EQ(ObjectionOf(Requiring(json::array(
                            {Expression("zone", "Exists", {}), Expression("pool", "Exists", {})})),
                        Node())
                .code,
            "");
  EXPECT_EQ(
      ObjectionOf(Requiring(json::array({Expression("zone", "In", {"b", "c"})})), Node()).says,
      "its node affinity asks for zone In b, c");
}

}  // namespace
}  // namespace aliquot::cli
