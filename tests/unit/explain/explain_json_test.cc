// SPDX-License-Identifier: Apache-2.0
#include "explain/explain_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "scoring/binpack.h"
#include "tests/unit/scoring/test_nodes.h"

namespace aliquot::explain {
namespace {

using scoring::Card;
using scoring::TestNode;

TEST(ExplainJson, HasTheDocumentedKeysInTheirOrder) {
  TestNode fitting({Card(16384, 60, 8192), Card(16384)});
  fitting.facts().name = "a";
  TestNode full({Card(16384, 100, 0)});
  full.facts().name = "b";
  model::PodDemand demand = scoring::Pod({scoring::Share(20, 4096)});
  demand.containers[0].name = "main";
  const scoring::Binpack policy;
  const scoring::PlacerOptions options;
  const Report report =
      ExplainPod({demand}, {full.state(), fitting.state()}, scoring::Placer(options, policy));
  // Node a: 300 + 250 permille used; the share leaves 200 + 250 on card 0: rank 100.
  EXPECT_EQ(ToJson(report, demand),
            R"({"summary":"1/2 nodes fit, the best is a: 1 not enough free GPU core or memory",)"
            R"("policy":"binpack","nodes_total":2,"nodes_fitting":1,"nodes_cut_short":0,)"
            R"("best_node":"a","reasons":[{"reason":"not_enough_free",)"
            R"("sentence":"not enough free GPU core or memory","nodes":1,)"
            R"("could_fit_later":true}],"asked":[{"container":"main","kind":"app","cards":1,)"
            R"("core":20,"mib":4096,"whole":false}],"nodes":[{"name":"a","fits":true,)"
            R"("reason":"none","sentence":"the pod fits","could_fit_later":true,)"
            R"("cut_short":false,"detail":"","cards":2,"usable_cards":2,"idle_cards":1,)"
            R"("largest_core_free":100,"largest_mib_free":16384,"rank":100,)"
            R"("score":[{"term":"node_core_used","value":300},)"
            R"({"term":"node_memory_used","value":250},{"term":"left_on_cards","value":-450}],)"
            R"("containers":[{"container":"main","cards":[{"minor":0,"uuid":"GPU-0",)"
            R"("score":[{"term":"core_left","value":-200},)"
            R"({"term":"memory_left","value":-250}]}]}]},)"
            R"({"name":"b","fits":false,"reason":"not_enough_free",)"
            R"("sentence":"not enough free GPU core or memory","could_fit_later":true,)"
            R"("cut_short":false,"detail":"","cards":1,"usable_cards":1,"idle_cards":0,)"
            R"("largest_core_free":0,"largest_mib_free":16384}]})");
}

TEST(ExplainJson, WithoutAFittingNodeTheBestIsNull) {
  const scoring::Binpack policy;
  const scoring::PlacerOptions options;
  const Report report =
      ExplainPod({scoring::Pod({scoring::Whole(1)})}, std::vector<scoring::NodeState>(),
                 scoring::Placer(options, policy));
  const auto json = nlohmann::json::parse(ToJson(report, scoring::Pod({scoring::Whole(1)}), 2));
  EXPECT_TRUE(json.at("best_node").is_null());
  EXPECT_TRUE(json.at("nodes").empty());
  EXPECT_TRUE(json.at("asked").at(0).at("whole").get<bool>());
}

TEST(ExplainJson, BytesThatAreNoTextAreReplacedNotThrown) {
  TestNode node({Card(16384)});
  node.set_inventory_problem("models is \"\xff\", not text");
  const scoring::Binpack policy;
  const scoring::PlacerOptions options;
  const model::PodDemand demand = scoring::Pod({scoring::Share(20, 256)});
  const Report report = ExplainPod({demand}, {node.state()}, scoring::Placer(options, policy));
  const auto json = nlohmann::json::parse(ToJson(report, demand));
  EXPECT_EQ(json.at("nodes").at(0).at("detail"), "models is \"\xef\xbf\xbd\", not text");
}

}  // namespace
}  // namespace aliquot::explain
