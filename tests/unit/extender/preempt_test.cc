// SPDX-License-Identifier: Apache-2.0
#include "extender/preempt.h"

#include <gtest/gtest.h>

#include <map>

#include "api/allocation_codec.h"
#include "tests/unit/extender/extender_fixture.h"

namespace aliquot::extender {
namespace {

using nlohmann::json;
using Uids = std::vector<std::string>;

// Cards have 16,384 MiB; every share takes 4 units (1,024 MiB), so that core decides.
class PreemptTest : public ExtenderFixture {
 protected:
  // Bound on the node, on the first card with room.
  void Hold(
      const std::string& node, const std::string& name, int core, std::int64_t priority = 0,
      const std::function<void(model::Pod&)>& change = [](model::Pod&) {}) {
    model::Pod pod = PodOf(name, core, core % 100 == 0 ? 0 : 4);
    pod.priority = priority;
    change(pod);
    const ledger::CommitResult result = ledger_.Commit(RequestFor(pod, node));
    ASSERT_EQ(result.outcome, ledger::CommitOutcome::kReserved) << name;
    pod.node_name = node;
    pod.annotations[std::string(model::kAllocationAnnotation)] =
        api::FormatAllocation(result.allocation);
    ledger_.SetPod(pod);
    pods_[name] = pod;
  }

  void Delete(const std::string& name) {
    pods_.at(name).deleting = true;
    ledger_.SetPod(pods_.at(name));
  }
  void Remove(const std::string& name) { ledger_.RemovePod("uid-" + name); }

  static model::Pod Preemptor(int core, std::int64_t priority = 10,
                              const std::string& name = "high") {
    model::Pod pod = PodOf(name, core, core % 100 == 0 ? 0 : 4);
    pod.priority = priority;
    return pod;
  }

  // Names to the names of proposed victims.
  using Proposals = std::map<std::string, Uids>;

  json Ask(const model::Pod& pod, const Proposals& proposals, int violations = 0) {
    json nodes = json::object();
    for (const auto& [node, names] : proposals) {
      json list = json::array();
      for (const std::string& name : names) {
        list.push_back({{"UID", "uid-" + name}});
      }
      nodes[node] = {{"Pods", list}, {"NumPDBViolations", violations}};
    }
    const json body = {
        {"Pod", PodJson(pod)}, {"NodeNameToVictims", nullptr}, {"NodeNameToMetaVictims", nodes}};
    const Reply reply = preempt_.Handle(body.dump());
    EXPECT_EQ(reply.status, 200) << reply.body;
    return json::parse(reply.body).at("NodeNameToMetaVictims");
  }

  // The victims' names on one node; {"-"} where it is struck out.
  static Uids VictimsOn(const json& answer, const std::string& node) {
    if (!answer.contains(node)) {
      return {"-"};
    }
    Uids names;
    for (const json& pod : answer[node]["Pods"]) {
      names.push_back(pod["UID"].get<std::string>().substr(4));
    }
    return names;
  }
  Uids VictimsOn(const std::string& node, const model::Pod& pod, const Uids& proposed) {
    return VictimsOn(Ask(pod, {{node, proposed}}), node);
  }

  void Budget(const std::string& name, const std::string& app, std::int64_t allowed) {
    model::DisruptionBudget budget;
    budget.namespace_name = "default";
    budget.name = name;
    budget.selector = {{"app", model::LabelRequirement::Operator::kIn, {app}}};
    budget.disruptions_allowed = allowed;
    all_budgets_.push_back(budget);
    budgets_.Replace(all_budgets_);
  }
  static std::function<void(model::Pod&)> App(const std::string& app) {
    return [app](model::Pod& pod) { pod.labels.Add("app", app); };
  }

  // Whether a pod of that priority may take `core` percent on the node now.
  bool Fits(int core, std::int64_t priority, const std::string& node,
            const std::string& name = "x") {
    model::Pod pod = PodOf(name, core, 4);
    pod.priority = priority;
    scoring::NodeState state;
    const auto snapshot = ledger_.Read();
    EXPECT_TRUE(snapshot->Find(node, &state));
    scoring::StepBudget budget(placer_.options());
    const model::PodDemand demand = *model::DemandOf(pod, names_);
    return placer_.Check(state, scoring::Ask(demand).OfPriority(priority), budget).fits();
  }

  void Nominate(model::Pod pod, const std::string& node) {
    pod.nominated_node = node;
    ledger_.SetPod(pod);
  }

  ledger::DisruptionBudgets budgets_;
  std::vector<model::DisruptionBudget> all_budgets_;
  std::map<std::string, model::Pod> pods_;
  Preempt preempt_{ledger_, budgets_, placer_, names_, clock_, metrics_, log_, PreemptOptions()};
};

TEST_F(PreemptTest, VictimsAreTakenFromOneCardNotFromTheNodesSum) {
  // Card 0: a 60, b 40. Card 1: c 50, d 50. By sums b and c (90) give room for 60; on a card only a
  // alone, or two of one card.
  AddNode("n", 2);
  Hold("n", "a", 60);
  Hold("n", "b", 40);
  Hold("n", "c", 50);
  Hold("n", "d", 50);
  EXPECT_EQ(VictimsOn("n", Preemptor(60), {"b", "c"}), Uids({"a"}));
  EXPECT_EQ(log_.lines().back(), "preempt victims n");
}

TEST_F(PreemptTest, ANodeWhereNobodysEvictionHelpsIsStruckOut) {
  // Each card keeps 50 % of a pod that is as important: 60 never comes free on one.
  AddNode("n", 2);
  Hold("n", "kept-0", 50, 10);
  Hold("n", "low-0", 50);
  Hold("n", "kept-1", 50, 10);
  Hold("n", "low-1", 50);
  EXPECT_EQ(VictimsOn("n", Preemptor(60), {"low-0", "low-1"}), Uids({"-"}));
  EXPECT_EQ(log_.lines().back(),
            "preempt refused: on no proposed node does evicting pods of lower priority free cards "
            "on which the pod fits");
  EXPECT_EQ(MetricValue(metrics_,
                        R"(aliquot_allocator_requests_total{outcome="refused",verb="preempt"})"),
            1);
}

TEST_F(PreemptTest, EachNodeIsJudgedForItself) {
  AddNode("n1", 1);
  Hold("n1", "a", 60);
  AddNode("n2", 1);
  Hold("n2", "kept", 60, 10);
  Hold("n2", "b", 40);
  const json answer = Ask(Preemptor(50), {{"n1", {"a"}}, {"n2", {"b"}}, {"unknown", {"c"}}});
  EXPECT_EQ(VictimsOn(answer, "n1"), Uids({"a"}));
  EXPECT_EQ(VictimsOn(answer, "n2"), Uids({"-"}));
  EXPECT_EQ(VictimsOn(answer, "unknown"), Uids({"-"}));
}

TEST_F(PreemptTest, EqualAndHigherPrioritiesAreNeverVictims) {
  AddNode("n", 2);
  Hold("n", "equal", 90, 10);
  Hold("n", "a", 45);
  Hold("n", "b", 45);
  // One pod of card 0 would do, but it is as important.
  EXPECT_EQ(VictimsOn("n", Preemptor(80), {"a", "b"}), Uids({"a", "b"}));
}

TEST_F(PreemptTest, WholeCardsAreFreedWhole) {
  // Card 0: a 20, b 20. Card 1: c 20. One whole card: c.
  AddNode("n", 2);
  Hold("n", "a", 20);
  Hold("n", "b", 20);
  Hold("n", "wall", 60, 10);  // fills card 0, so that c goes to card 1
  Hold("n", "c", 20);
  EXPECT_EQ(VictimsOn("n", Preemptor(100), {"a"}), Uids({"c"}));
}

TEST_F(PreemptTest, AVictimWithoutOurCardsStays) {
  // "web" holds CPU that kube-scheduler wants; nothing is known of it here.
  AddNode("n", 1);
  Hold("n", "a", 60);
  EXPECT_EQ(VictimsOn("n", Preemptor(60), {"web", "a"}), Uids({"web", "a"}));
}

TEST_F(PreemptTest, AVictimThatNoSumExplainsStays) {
  // 100 - 60 = 40 free: for 30 nobody need go by any sum we know, yet kube-scheduler wants "a" gone
  // (a host port, say).
  AddNode("n", 1);
  Hold("n", "a", 60);
  EXPECT_EQ(VictimsOn("n", Preemptor(30), {"a"}), Uids({"a"}));
}

TEST_F(PreemptTest, NobodyIsEvictedWithoutNeedWhereNobodyWasProposed) {
  AddNode("n", 1);
  Hold("n", "a", 60);
  EXPECT_EQ(VictimsOn("n", Preemptor(30), {}), Uids({"-"}));
}

TEST_F(PreemptTest, TheVictimsGiveBackAsMuchCpuAsTheProposedOnes) {
  // Either of two equal pods frees the card's 60 %; only "big" gives back the CPU that
  // kube-scheduler counts on.
  AddNode("n", 2);
  Hold("n", "small", 60, 0, [](model::Pod& pod) { pod.host.cpu_milli = 500; });
  Hold("n", "big", 60, 1, [](model::Pod& pod) { pod.host.cpu_milli = 4000; });
  model::Pod high = Preemptor(90);
  EXPECT_EQ(VictimsOn("n", high, {"big"}), Uids({"small"}));
  high.host.cpu_milli = 4000;
  json body = {{"Pod", PodJson(high)},
               {"NodeNameToMetaVictims", {{"n", {{"Pods", {{{"UID", "uid-big"}}}}}}}}};
  body["Pod"]["spec"]["containers"][0]["resources"]["requests"] = {{"cpu", "4"}};
  const json answer = json::parse(preempt_.Handle(body.dump()).body);
  EXPECT_EQ(VictimsOn(answer["NodeNameToMetaVictims"], "n"), Uids({"big"}));
}

TEST_F(PreemptTest, CpuThatIsFreeAnyhowNeedNotComeBack) {
  // As above, but the node says that it has 64 cores, so nobody's CPU is needed.
  model::Node node = NodeOf("n", 2);
  node.allocatable = model::HostAmount{64000, 1 << 20};
  ledger_.SetNode(node);
  Hold("n", "small", 60, 0, [](model::Pod& pod) { pod.host.cpu_milli = 500; });
  Hold("n", "big", 60, 1, [](model::Pod& pod) { pod.host.cpu_milli = 4000; });
  json body = {{"Pod", PodJson(Preemptor(90))},
               {"NodeNameToMetaVictims", {{"n", {{"Pods", {{{"UID", "uid-big"}}}}}}}}};
  body["Pod"]["spec"]["containers"][0]["resources"]["requests"] = {{"cpu", "4"}};
  const json answer = json::parse(preempt_.Handle(body.dump()).body);
  EXPECT_EQ(VictimsOn(answer["NodeNameToMetaVictims"], "n"), Uids({"small"}));
}

TEST_F(PreemptTest, PodsThatAreLeavingCountAsGone) {
  // Card 0: a 60 (leaving), b 40. Card 1: c 100. For 90 only b must go besides.
  AddNode("n", 2);
  Hold("n", "a", 60);
  Hold("n", "b", 40);
  Hold("n", "c", 100);
  Delete("a");
  EXPECT_EQ(VictimsOn("n", Preemptor(90), {"c"}), Uids({"b"}));
}

TEST_F(PreemptTest, WhereTheLeavingMakeTheRoomTheyAreNamedAgain) {
  // Nobody else need go, and an empty list would be an error to kube-scheduler.
  AddNode("n", 1);
  Hold("n", "a", 60);
  Delete("a");
  EXPECT_EQ(VictimsOn("n", Preemptor(90), {"a"}), Uids({"a"}));
}

TEST_F(PreemptTest, AReservationIsAVictimOnlyWhereItWasProposed) {
  // kube-scheduler fails on a pod that it does not see on the node yet.
  AddNode("n", 1);
  model::Pod low = PodOf("low", 60, 4);
  ledger::CommitRequest request = RequestFor(low, "n");
  request.priority = 0;
  ASSERT_EQ(ledger_.Commit(request).outcome, ledger::CommitOutcome::kReserved);
  EXPECT_EQ(VictimsOn("n", Preemptor(60), {"web"}), Uids({"-"}));
  EXPECT_EQ(VictimsOn("n", Preemptor(60), {"low"}), Uids({"low"}));
}

TEST_F(PreemptTest, TheHighestPriorityComesFirst) {
  // kube-scheduler takes the first for the most important victim.
  AddNode("n", 1);
  Hold("n", "a", 30, 1);
  Hold("n", "b", 30, 3);
  Hold("n", "c", 40, 2);
  EXPECT_EQ(VictimsOn("n", Preemptor(100), {"b", "c", "a"}), Uids({"b", "c", "a"}));
}

TEST_F(PreemptTest, BudgetsDecideBetweenEqualsAndAreCountedAnew) {
  AddNode("n", 2);
  Hold("n", "db-0", 90, 0, App("db"));
  Hold("n", "web-0", 90, 0, App("web"));
  Budget("db", "db", 0);
  const json answer = Ask(Preemptor(80), {{"n", {"db-0"}}}, 1);
  EXPECT_EQ(VictimsOn(answer, "n"), Uids({"web-0"}));
  EXPECT_EQ(answer["n"]["NumPDBViolations"], 0);
  Budget("web", "web", 0);
  EXPECT_EQ(Ask(Preemptor(80), {{"n", {"db-0"}}}, 1)["n"]["NumPDBViolations"], 1);
}

TEST_F(PreemptTest, ViolationsOfVictimsThatAreNotOursAreKept) {
  AddNode("n", 1);
  Hold("n", "a", 60, 0, App("a"));
  Budget("a", "a", 0);
  // Two violations: one of "a", so the other is the unknown pod's.
  EXPECT_EQ(Ask(Preemptor(60), {{"n", {"web", "a"}}}, 2)["n"]["NumPDBViolations"], 2);
}

TEST_F(PreemptTest, BeforeTheBudgetsAreKnownTheProposalsCountHolds) {
  AddNode("n", 1);
  Hold("n", "a", 60);
  EXPECT_EQ(Ask(Preemptor(60), {{"n", {"a"}}}, 3)["n"]["NumPDBViolations"], 3);
}

TEST_F(PreemptTest, AllThatKeepANodeClosedMustGo) {
  AddNode("n", 2);
  model::Pod unknown = PodOf("unknown", 20, 4);
  unknown.node_name = "n";
  unknown.phase = model::PodPhase::kRunning;
  ledger_.SetPod(unknown);
  EXPECT_EQ(VictimsOn("n", Preemptor(60), {"unknown"}), Uids({"unknown"}));
  unknown.priority = 10;
  ledger_.SetPod(unknown);
  EXPECT_EQ(VictimsOn("n", Preemptor(60), {"web"}), Uids({"-"})) << "it stays, and so the node";
}

TEST_F(PreemptTest, TheFreedRoomIsKeptFromLowerPriorities) {
  // Card 0: a 50, b 50. Card 1: wall 60 of a higher priority. 80 need a and b gone.
  AddNode("n", 2);
  Hold("n", "a", 50);
  Hold("n", "b", 50);
  Hold("n", "wall", 60, 20);
  EXPECT_EQ(VictimsOn("n", Preemptor(80), {"a"}), Uids({"a", "b"}));
  Nominate(Preemptor(80), "n");
  EXPECT_TRUE(Fits(40, 0, "n")) << "card 1 has 40 left, and nobody claims them";
  Remove("a");
  // Card 0 holds 50 of b; after it is gone 80 are claimed, so 20 are left.
  EXPECT_FALSE(Fits(45, 0, "n"));
  EXPECT_TRUE(Fits(45, 10, "n")) << "an equal priority is not held back";
  EXPECT_TRUE(Fits(45, 20, "n"));
  Remove("b");
  EXPECT_FALSE(Fits(45, 9, "n"));
  EXPECT_TRUE(Fits(20, 9, "n"));
}

TEST_F(PreemptTest, BindHoldsToTheClaimAsFilterDoes) {
  AddNode("n", 1);
  Hold("n", "a", 60);
  VictimsOn("n", Preemptor(90), {"a"});
  Remove("a");
  ledger::CommitRequest low = RequestFor(PodOf("low", 20, 4), "n");
  low.priority = 0;
  const ledger::CommitResult refused = ledger_.Commit(low);
  EXPECT_EQ(refused.outcome, ledger::CommitOutcome::kRefused);
  EXPECT_EQ(refused.refusal, scoring::Refusal::kClaimed);
  ledger::CommitRequest high = RequestFor(Preemptor(90), "n");
  high.priority = 10;
  EXPECT_EQ(ledger_.Commit(high).outcome, ledger::CommitOutcome::kReserved);
  // Its hold counts now, not its claim as well: 10 are left.
  EXPECT_TRUE(Fits(10, 0, "n"));
  EXPECT_FALSE(Fits(11, 0, "n"));
}

TEST_F(PreemptTest, AClaimEndsByTimeWhenNoNominationShowsUp) {
  AddNode("n", 1);
  Hold("n", "a", 60);
  VictimsOn("n", Preemptor(90), {"a"});
  Remove("a");
  Nominate(Preemptor(90), "");  // any other change of the pod
  clock_.Advance(std::chrono::seconds(14));
  ledger_.ReleaseExpired();
  EXPECT_FALSE(Fits(20, 0, "n"));
  clock_.Advance(std::chrono::seconds(1));
  ledger_.ReleaseExpired();
  EXPECT_TRUE(Fits(20, 0, "n"));
}

TEST_F(PreemptTest, ANominationKeepsItsNodesClaimAndEndsTheOthers) {
  AddNode("n1", 1);
  Hold("n1", "a", 60);
  AddNode("n2", 1);
  Hold("n2", "b", 60);
  Ask(Preemptor(90), {{"n1", {"a"}}, {"n2", {"b"}}});
  EXPECT_FALSE(Fits(20, 0, "n1"));
  EXPECT_FALSE(Fits(20, 0, "n2"));
  Nominate(Preemptor(90), "n2");
  EXPECT_TRUE(Fits(20, 0, "n1"));
  clock_.Advance(std::chrono::hours(1));
  ledger_.ReleaseExpired();
  EXPECT_FALSE(Fits(20, 0, "n2"));
  Nominate(Preemptor(90), "");
  EXPECT_TRUE(Fits(20, 0, "n2"));
}

TEST_F(PreemptTest, AnEarlierNominationSaysNothingOfTheNewClaim) {
  AddNode("n1", 1);
  AddNode("n2", 1);
  Hold("n2", "b", 60);
  json body = {{"Pod", PodJson(Preemptor(90))},
               {"NodeNameToMetaVictims", {{"n2", {{"Pods", {{{"UID", "uid-b"}}}}}}}}};
  body["Pod"]["status"]["nominatedNodeName"] = "n1";
  preempt_.Handle(body.dump());
  Nominate(Preemptor(90), "n1");
  EXPECT_FALSE(Fits(20, 0, "n2"));
}

TEST_F(PreemptTest, AClaimEndsWithItsPod) {
  AddNode("n", 1);
  Hold("n", "a", 60);
  VictimsOn("n", Preemptor(90), {"a"});
  Nominate(Preemptor(90), "n");
  EXPECT_FALSE(Fits(20, 0, "n"));
  ledger_.RemovePod("uid-high");
  EXPECT_TRUE(Fits(20, 0, "n"));
}

TEST_F(PreemptTest, ANominationFromBeforeOurStartIsAClaimToo) {
  // The record of the answer is lost; the pods and the nomination are read from the API server, the
  // nomination first.
  AddNode("n", 2);
  Nominate(Preemptor(90), "n");
  Hold("n", "a", 60);
  Hold("n", "wall", 80, 20);
  Delete("a");
  ledger_.RenewClaims();
  // Card 1 has 20 left; on card 0 90 are claimed beyond a.
  EXPECT_TRUE(Fits(20, 0, "n"));
  EXPECT_FALSE(Fits(21, 0, "n"));
  Remove("a");
  EXPECT_FALSE(Fits(21, 0, "n"));
}

TEST_F(PreemptTest, RoomClaimedByAnEqualIsNotThereForTheNext) {
  AddNode("n", 2);
  Hold("n", "a", 60);
  Hold("n", "b", 60);
  EXPECT_EQ(VictimsOn("n", Preemptor(90), {"a"}).size(), 1u);
  Nominate(Preemptor(90), "n");
  Remove("a");
  EXPECT_EQ(VictimsOn("n", Preemptor(90, 10, "second"), {"b"}), Uids({"b"}));
}

TEST_F(PreemptTest, AClaimThatEndsMakesRoom) {
  std::vector<std::string> told;
  ledger_.OnRoom([&told](std::string_view node) { told.emplace_back(node); });
  AddNode("n", 1);
  Hold("n", "a", 60);
  VictimsOn("n", Preemptor(90), {"a"});
  told.clear();
  ledger_.RemovePod("uid-high");
  EXPECT_EQ(told, Uids({"n"}));
}

TEST_F(PreemptTest, WholePodsAreReadAsWell) {
  AddNode("n", 1);
  Hold("n", "a", 60);
  const json victim = {{"metadata", {{"name", "a"}, {"uid", "uid-a"}}}};
  const json body = {{"pod", PodJson(Preemptor(60))},
                     {"nodeNameToVictims", {{"n", {{"Pods", {victim}}}}}}};
  const Reply reply = preempt_.Handle(body.dump());
  EXPECT_EQ(reply.body,
            R"({"NodeNameToMetaVictims":{"n":{"Pods":[{"UID":"uid-a"}],"NumPDBViolations":0}}})");
}

TEST_F(PreemptTest, APodWithoutCardsGetsItsProposalsBack) {
  model::Pod plain;
  plain.key = {"default", "plain"};
  plain.uid = "uid-plain";
  EXPECT_EQ(VictimsOn("n", plain, {"web"}), Uids({"web"}));
}

TEST_F(PreemptTest, ADemandThatBreaksTheRulesEvictsNobody) {
  AddNode("n", 1);
  Hold("n", "a", 60);
  EXPECT_EQ(VictimsOn("n", Preemptor(150), {"a"}), Uids({"-"}));
}

TEST_F(PreemptTest, AnUnusableBodyIs400WithOneSentence) {
  const Reply reply = preempt_.Handle(R"({"Pod":{"metadata":{"name":"p"}}})");
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(reply.body,
            "the request body: NodeNameToMetaVictims and NodeNameToVictims are both missing; send "
            "the candidates");
  EXPECT_EQ(MetricValue(metrics_,
                        R"(aliquot_allocator_requests_total{outcome="invalid",verb="preempt"})"),
            1);
}

}  // namespace
}  // namespace aliquot::extender
