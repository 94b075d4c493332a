// SPDX-License-Identifier: Apache-2.0
#include "extender/filter.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <random>
#include <sstream>

#include "scoring/refusal.h"
#include "tests/unit/extender/extender_fixture.h"

namespace aliquot::extender {
namespace {

using nlohmann::json;
using scoring::Refusal;
using scoring::RefusalSentence;
using Names = std::vector<std::string>;

std::string Recorded(const std::string& name) {
  std::ifstream file(std::string(ALIQUOT_SOURCE_DIR) + "/tests/data/recorded/" + name);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << name;
  return text.str();
}

// A clock that moves on by a fixed step each time it is read.
class TickingClock final : public Clock {
 public:
  explicit TickingClock(std::chrono::nanoseconds step) : step_(step) {}
  SteadyTime SteadyNow() const override {
    return SteadyTime(std::chrono::hours(1) + step_ * reads_++);
  }
  SystemTime SystemNow() const override { return SystemTime(); }
  int reads() const { return reads_; }

 private:
  const std::chrono::nanoseconds step_;
  mutable int reads_ = 0;
};

class FilterTest : public ExtenderFixture {
 protected:
  json Ask(const std::string& body) {
    const Reply reply = filter_.Handle(body);
    EXPECT_EQ(reply.status, 200);
    return json::parse(reply.body);
  }
  json Ask(const model::Pod& pod, const Names& names) { return Ask(ArgsFor(pod, names)); }

  Filter filter_{ledger_, pending_, judge_, names_, clock_, metrics_, log_, FilterOptions()};
};

TEST_F(FilterTest, KeepsTheNodesThatFitAndSaysWhyNotForTheOthers) {
  AddNode("n1", 2);
  AddNode("n2", 2, 2048);
  AddNode("n3", 1);
  Occupy("n3", "other", 90, 4);
  const json answer = Ask(PodOf("p", 20, 15), {"n3", "n2", "n1", "n4"});
  EXPECT_EQ(answer["NodeNames"], json({"n1"}));
  EXPECT_EQ(answer["FailedNodes"], json({{"n3", RefusalSentence(Refusal::kNotEnoughFree)}}));
  EXPECT_EQ(answer["FailedAndUnresolvableNodes"],
            json({{"n2", RefusalSentence(Refusal::kCardTooSmall)},
                  {"n4", RefusalSentence(Refusal::kUnknownNode)}}));
  EXPECT_EQ(answer["Error"], "");
}

TEST_F(FilterTest, NeverReturnsANodeNotAskedAbout) {
  AddNode("n1", 2);
  AddNode("n2", 2);
  const json answer = Ask(PodOf("p", 20, 15), {"n2"});
  EXPECT_EQ(answer["NodeNames"], json({"n2"}));
  EXPECT_TRUE(answer["FailedNodes"].empty());
  EXPECT_TRUE(answer["FailedAndUnresolvableNodes"].empty());
}

TEST_F(FilterTest, AnEmptyListOfNamesIsAnsweredWithNone) {
  const json answer = Ask(PodOf("p", 20, 15), {});
  EXPECT_EQ(answer["NodeNames"], json::array());
  EXPECT_EQ(answer["Error"], "");
}

TEST_F(FilterTest, NullNamesAndNullNodesAreAnError) {
  const json answer = Ask(json{
      {"Pod", PodJson(PodOf("p", 20, 15))},
      {"Nodes", nullptr},
      {"NodeNames", nullptr}}.dump());
  EXPECT_NE(answer["Error"], "");
  EXPECT_TRUE(answer["NodeNames"].is_null());
}

TEST_F(FilterTest, ABodyThatCannotBeUsedIsAnErrorWithStatus200) {
  for (const char* body : {"", "{", "[]", "null", "{\"Pod\":7,\"NodeNames\":[]}", "not json"}) {
    EXPECT_NE(Ask(body)["Error"], "") << body;
  }
  EXPECT_EQ(MetricValue(metrics_,
                        "aliquot_allocator_requests_total{outcome=\"invalid\",verb=\"filter\"}"),
            6);
}

TEST_F(FilterTest, ADemandThatBreaksTheModelIsRefusedOnEveryNodeForGood) {
  AddNode("n1", 2);
  const json answer = Ask(PodOf("p", 150, 0), {"n1", "n2"});
  EXPECT_EQ(answer["Error"], "");  // an error would be retried for ever
  EXPECT_EQ(answer["NodeNames"], json::array());
  const json refused = answer["FailedAndUnresolvableNodes"];
  ASSERT_EQ(refused.size(), 2u);
  EXPECT_EQ(refused["n1"], refused["n2"]);
  EXPECT_NE(refused["n1"].get<std::string>().find("tencent.com/vcuda-core is 150"),
            std::string::npos);
}

TEST_F(FilterTest, APodThatAsksForNothingOfOursFitsAnywhere) {
  model::Pod pod = PodOf("p", 20, 15);
  pod.gpu_containers.clear();
  EXPECT_EQ(Ask(pod, {"n1", "n2"})["NodeNames"], json({"n1", "n2"}));
  EXPECT_EQ(pending_.size(), 0u);
}

TEST_F(FilterTest, RemembersThePodForItsBind) {
  Ask(PodOf("p", 20, 15), {"n1"});
  const auto known = pending_.FindUid("uid-p");
  ASSERT_NE(known, nullptr);
  EXPECT_EQ(known->key.ToString(), "default/p");
  EXPECT_EQ(known->demand.containers.size(), 1u);
  EXPECT_FALSE(known->watched);
}

TEST_F(FilterTest, ChangesNothingInTheLedger) {
  AddNode("n1", 2);
  const auto before = ledger_.generation();
  Ask(PodOf("p", 20, 15), {"n1"});
  EXPECT_EQ(ledger_.generation(), before);
}

TEST_F(FilterTest, TheTextStaysTheSameWhileFiguresChange) {
  AddNode("n1", 1);
  Occupy("n1", "a", 50, 8);
  const model::Pod pod = PodOf("p", 60, 8);
  const std::string first = filter_.Handle(ArgsFor(pod, {"n1"})).body;
  Occupy("n1", "b", 20, 8);
  clock_.Advance(std::chrono::seconds(77));
  EXPECT_EQ(filter_.Handle(ArgsFor(pod, {"n1"})).body, first);
  // Nothing of it is from the cache.
  EXPECT_EQ(MetricValue(metrics_, "aliquot_allocator_filter_cache_hits_total"), 0);
}

TEST_F(FilterTest, TheSameQuestionAtTheSameGenerationIsAnsweredFromTheCache) {
  AddNode("n1", 2);
  const model::Pod pod = PodOf("p", 20, 15);
  const std::string first = filter_.Handle(ArgsFor(pod, {"n1"})).body;
  EXPECT_EQ(filter_.Handle(ArgsFor(pod, {"n1"})).body, first);
  EXPECT_EQ(MetricValue(metrics_, "aliquot_allocator_filter_cache_hits_total"), 1);
  EXPECT_EQ(log_.lines(), (Names{"filter fits", "filter fits"}));
}

TEST_F(FilterTest, TheCacheEndsWithTheGeneration) {
  AddNode("n1", 1);
  const model::Pod pod = PodOf("p", 60, 8);
  EXPECT_EQ(Ask(pod, {"n1"})["NodeNames"], json({"n1"}));
  Occupy("n1", "a", 50, 8);
  EXPECT_EQ(Ask(pod, {"n1"})["NodeNames"], json::array());
  EXPECT_EQ(MetricValue(metrics_, "aliquot_allocator_filter_cache_hits_total"), 0);
}

TEST_F(FilterTest, OtherNamesOrAnotherDemandAreAnotherQuestion) {
  AddNode("n1", 1);
  AddNode("n2", 1);
  model::Pod pod = PodOf("p", 60, 8);
  EXPECT_EQ(Ask(pod, {"n1"})["NodeNames"], json({"n1"}));
  EXPECT_EQ(Ask(pod, {"n2"})["NodeNames"], json({"n2"}));
  EXPECT_EQ(Ask(pod, {"n1", "n2"})["NodeNames"], json({"n1", "n2"}));
  EXPECT_EQ(Ask(pod, {"n2", "n1"})["NodeNames"], json({"n2", "n1"}));
  pod.gpu_containers[0].quantities[0].text = "300";
  EXPECT_EQ(Ask(pod, {"n2", "n1"})["NodeNames"], json::array());
}

TEST_F(FilterTest, APodBeingBoundMayOnlyGoToItsNode) {
  AddNode("n1", 1);
  AddNode("n2", 1);
  const model::Pod pod = PodOf("p", 60, 8);
  ASSERT_EQ(ledger_.Commit(RequestFor(pod, "n2")).outcome, ledger::CommitOutcome::kReserved);
  const json answer = Ask(pod, {"n1", "n2"});
  EXPECT_EQ(answer["NodeNames"], json({"n2"}));  // its own share does not count against it
  EXPECT_EQ(answer["FailedNodes"], json({{"n1", "the pod is being bound to another node"}}));
}

TEST_F(FilterTest, ACordonedNodeHoldsOnlyPodsThatTolerateIt) {
  model::Node node = NodeOf("n1", 1);
  node.unschedulable = true;
  ledger_.SetNode(node);
  model::Pod pod = PodOf("p", 20, 15);
  EXPECT_EQ(Ask(pod, {"n1"})["NodeNames"], json::array());
  pod.tolerates_cordon = true;
  EXPECT_EQ(Ask(pod, {"n1"})["NodeNames"], json({"n1"}));
}

TEST_F(FilterTest, ANodeWithoutAnInventoryIsRefusedWithTheReason) {
  model::Node node;
  node.name = "n1";
  ledger_.SetNode(node);
  EXPECT_EQ(Ask(PodOf("p", 20, 15), {"n1"})["FailedAndUnresolvableNodes"]["n1"],
            RefusalSentence(Refusal::kNoInventory));
}

// Calls back at each look at the time: the judge takes one after the nodes were read.
class CallingClock final : public Clock {
 public:
  explicit CallingClock(std::function<void(int)> call) : call_(std::move(call)) {}
  SteadyTime SteadyNow() const override {
    call_(++reads_);
    return SteadyTime(std::chrono::milliseconds(reads_));
  }
  SystemTime SystemNow() const override { return SystemTime(); }

 private:
  const std::function<void(int)> call_;
  mutable int reads_ = 0;
};

TEST_F(FilterTest, RoomThatIsMadeWhileItLooksIsSeen) {
  AddNode("n1", 1);
  Occupy("n1", "holder", 90, 15);
  // Reads: the request, the look, and the judge's first once the nodes have been read.
  const CallingClock clock([this](int read) {
    if (read == 3) {
      ledger_.RemovePod("uid-holder");
    }
  });
  NodeJudge judge(placer_, clock);
  Filter filter(ledger_, pending_, judge, names_, clock, metrics_, log_, FilterOptions());
  const json answer = json::parse(filter.Handle(ArgsFor(PodOf("p", 20, 15), {"n1"})).body);
  EXPECT_EQ(answer["NodeNames"], json({"n1"}));
}

TEST_F(FilterTest, ARefusalCountsFromBeforeTheNodesWereRead) {
  AddNode("n1", 1);
  Occupy("n1", "holder", 90, 15);
  SteadyTime before_judging;
  const CallingClock clock([&](int read) {
    if (read == 3) {
      before_judging = SteadyTime(std::chrono::milliseconds(3));
    }
  });
  NodeJudge judge(placer_, clock);
  Filter filter(ledger_, pending_, judge, names_, clock, metrics_, log_, FilterOptions());
  const model::Pod pod = PodOf("p", 20, 15);
  filter.Handle(ArgsFor(pod, {"n1"}));
  ASSERT_TRUE(pending_.LastRefused(pod.uid));
  EXPECT_LT(*pending_.LastRefused(pod.uid), before_judging);
}

TEST_F(FilterTest, PastItsDeadlineTheAnswerIsAnError) {
  const TickingClock clock(std::chrono::milliseconds(400));
  NodeJudge judge(placer_, clock);
  Filter filter(ledger_, pending_, judge, names_, clock, metrics_, log_, FilterOptions());
  Names names;
  for (int i = 0; i < 1000; ++i) {
    names.push_back("n" + std::to_string(i));
  }
  const json answer = json::parse(filter.Handle(ArgsFor(PodOf("p", 20, 15), names)).body);
  EXPECT_EQ(answer["Error"],
            "the nodes could not be judged in time; kube-scheduler will ask again");
  EXPECT_LT(clock.reads(), 8);  // it stopped at once, not after all names
}

// Several containers use up the shared search steps, so the verdicts must not hang on the names'
// order.
TEST_F(FilterTest, TheOrderOfTheNamesDecidesNothing) {
  scoring::PlacerOptions options;
  options.steps_per_node = kTightStepsPerNode;
  options.steps_per_request = kTightStepsPerRequest;
  const scoring::Placer placer(options, *scoring::FindPolicy("binpack"));
  Names names;
  for (int i = 0; i < 10; ++i) {
    names.push_back("n" + std::to_string(i));
    AddNode(names.back(), 2);
  }
  const auto kept = [&](const Names& order) {
    NodeJudge judge(placer, clock_);
    Filter filter(ledger_, pending_, judge, names_, clock_, metrics_, log_, FilterOptions());
    Names nodes = json::parse(filter.Handle(ArgsFor(ExactFitPod("p"), order)).body)["NodeNames"];
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  };
  const Names expected = kept(names);
  EXPECT_FALSE(expected.empty());
  EXPECT_LT(expected.size(), names.size());
  std::mt19937 random(20251129);
  for (int round = 0; round < 10; ++round) {
    std::shuffle(names.begin(), names.end(), random);
    EXPECT_EQ(kept(names), expected);
  }
  EXPECT_GT(MetricValue(metrics_, "aliquot_allocator_search_cut_short_total"), 0);
}

TEST_F(FilterTest, FiveThousandNamesEachGetTheirAnswer) {
  Names names;
  for (int i = 0; i < 5000; ++i) {
    const std::string node = "node-" + std::to_string(i);
    names.push_back(node);
    AddNode(node, 8, i % 2 == 0 ? 16384 : 2048);
  }
  std::mt19937 random(1);
  std::shuffle(names.begin(), names.end(), random);
  const json answer = Ask(PodOf("p", 20, 15), names);
  EXPECT_EQ(answer["NodeNames"].size(), 2500u);
  EXPECT_EQ(answer["FailedAndUnresolvableNodes"].size(), 2500u);
  for (const std::string node : answer["NodeNames"]) {
    EXPECT_EQ(std::stoi(node.substr(5)) % 2, 0) << node;
  }
}

TEST_F(FilterTest, TheLogTellsTheCommonestRefusal) {
  AddNode("n1", 1, 2048);
  AddNode("n2", 1, 2048);
  Ask(PodOf("p", 20, 15), {"n1", "n2", "n3"});
  EXPECT_EQ(log_.lines(),
            (Names{"filter refused: " + std::string(RefusalSentence(Refusal::kCardTooSmall))}));
}

TEST_F(FilterTest, RecordedRequestsOfKubeSchedulerWithNames) {
  AddNode("n2", 4);
  for (const char* file :
       {"extender/names/filter-simple.json", "extender/names/filter-multi.json",
        "extender/names/filter-deployment-pod.json", "extender-1.37/names/filter-simple.json",
        "extender-1.37/names/filter-multi.json"}) {
    const json answer = Ask(Recorded(file));
    EXPECT_EQ(answer["Error"], "") << file;
    EXPECT_TRUE(answer["Nodes"].is_null()) << file;
    EXPECT_EQ(answer["NodeNames"], json({"n2"})) << file;
  }
  EXPECT_EQ(pending_.size(), 5u);
}

TEST_F(FilterTest, RecordedRequestsWithWholeNodesGetThemBackUnchanged) {
  AddNode("n2", 4);
  for (const char* file : {"extender/nodes/filter-simple.json", "extender/nodes/filter-multi.json",
                           "extender-1.37/nodes/filter-simple.json"}) {
    const std::string body = Recorded(file);
    const json answer = Ask(body);
    EXPECT_EQ(answer["Error"], "") << file;
    EXPECT_TRUE(answer["NodeNames"].is_null()) << file;
    ASSERT_EQ(answer["Nodes"]["items"].size(), 1u) << file;
    const json request = json::parse(body);
    for (const json& node : request["Nodes"]["items"]) {
      if (node["metadata"]["name"] == "n2") {
        EXPECT_EQ(answer["Nodes"]["items"][0], node) << file;
      }
    }
  }
  EXPECT_EQ(MetricValue(metrics_, "aliquot_allocator_filter_cache_hits_total"), 0);
}

TEST_F(FilterTest, TellsOfEachPodThatItIsAskedAboutFittingOrNot) {
  AddNode("n", 1);
  std::vector<std::string> told;
  filter_.OnAsked([&told](const model::Pod& pod, const model::PodDemand& demand) {
    told.push_back(pod.key.name + ":" + std::to_string(demand.containers.at(0).core));
  });
  Ask(PodOf("fits", 20, 4), {"n"});
  Ask(PodOf("too-large", 200, 0), {"n"});
  Ask(PodOf("unreadable", 150, 0), {"n"});
  EXPECT_EQ(told, (std::vector<std::string>{"fits:20", "too-large:100"}));
}

TEST_F(FilterTest, TellsOfPodsThatFitInSumOnly) {
  // 40 free on each of two cards: 60 fits in sum. A pod of 90 does not, and one of 30 fits.
  AddNode("n", 2);
  Occupy("n", "a", 60, 4);
  Occupy("n", "b", 60, 4);
  std::vector<std::string> told;
  filter_.OnFitsInSumOnly([&told](const model::Pod& pod) { told.push_back(pod.key.name); });
  for (const int core : {60, 90, 30}) {
    filter_.Handle(ArgsFor(PodOf("p" + std::to_string(core), core, 4), {"n"}));
  }
  EXPECT_EQ(told, std::vector<std::string>({"p60"}));
}

}  // namespace
}  // namespace aliquot::extender
