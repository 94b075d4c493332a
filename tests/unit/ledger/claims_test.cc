// SPDX-License-Identifier: Apache-2.0
#include "ledger/claims.h"

#include <gtest/gtest.h>

#include "ledger/disruption_budgets.h"
#include "tests/unit/ledger/ledger_fixture.h"

namespace aliquot::ledger {
namespace {

// Cards of 16,384 MiB; claims of `core` percent and 1,024 MiB on card 0.
class ClaimsTest : public LedgerFixture {
 protected:
  void Claim(const std::string& uid, std::int64_t priority, int core,
             const std::vector<std::string>& leaving = {}) {
    ClaimRequest request;
    request.uid = uid;
    request.priority = priority;
    request.expires = clock_.SteadyNow() + std::chrono::minutes(1);
    request.rooms = {{"n", {{0, model::CardUse{core, 1, 1024}}}, leaving}};
    ledger_.ClaimRoom(request);
  }

  // Core in use on card 0 as a pod of that priority must see it.
  int SeenBy(std::int64_t priority) const {
    const auto snapshot = ledger_.Read();
    scoring::NodeState node;
    EXPECT_TRUE(snapshot->Find("n", &node));
    const scoring::CardState* cards = node.claims == nullptr ? nullptr : node.claims->For(priority);
    return cards == nullptr ? node.cards[0].core_used : cards[0].core_used;
  }

  void Bind(const std::string& name, int core) {
    ASSERT_EQ(Commit(PodOf(name, core, 4), "n").outcome, CommitOutcome::kReserved);
    ledger_.Confirm("uid-" + name);
  }
};

TEST_F(ClaimsTest, CountsForLowerPrioritiesOnly) {
  ledger_.SetNode(NodeOf("n", 1));
  Bind("a", 10);
  Claim("high", 5, 60);
  EXPECT_EQ(SeenBy(4), 70);
  EXPECT_EQ(SeenBy(5), 10);
  EXPECT_EQ(SeenBy(6), 10);
}

TEST_F(ClaimsTest, ACardIsAsFullAsItIsUntilTheLeavingAreGone) {
  // 80 now; 30 once a is gone, 70 with the claim of 40.
  ledger_.SetNode(NodeOf("n", 1));
  Bind("a", 50);
  Bind("b", 30);
  Claim("high", 5, 40, {"uid-a"});
  EXPECT_EQ(SeenBy(0), 80);
  ledger_.RemovePod("uid-a");
  EXPECT_EQ(SeenBy(0), 70);
}

TEST_F(ClaimsTest, OfSeveralClaimsEachSeesThoseAboveIt) {
  // Both wait for a (50): it leaves once. Below 9: 0 + 30; below 5: 0 + 30 + 60, and never less
  // than the 50 of a that are there.
  ledger_.SetNode(NodeOf("n", 1));
  Bind("a", 50);
  Claim("first", 9, 30, {"uid-a"});
  Claim("second", 5, 60, {"uid-a"});
  EXPECT_EQ(SeenBy(9), 50);
  EXPECT_EQ(SeenBy(5), 50);
  EXPECT_EQ(SeenBy(4), 90);
  ledger_.RemovePod("uid-a");
  EXPECT_EQ(SeenBy(9), 0);
  EXPECT_EQ(SeenBy(5), 30);
  EXPECT_EQ(SeenBy(4), 90);
}

TEST_F(ClaimsTest, ANewClaimOfAPodTakesThePlaceOfItsOld) {
  ledger_.SetNode(NodeOf("n", 1));
  Claim("high", 5, 60);
  Claim("high", 5, 20);
  EXPECT_EQ(SeenBy(0), 20);
}

TEST_F(ClaimsTest, AReservationStandsForItsClaimAndTheClaimForAReservationGivenBack) {
  ledger_.SetNode(NodeOf("n", 1));
  Claim("uid-high", 5, 60);
  ASSERT_EQ(Commit(PodOf("high", 60, 4), "n").outcome, CommitOutcome::kReserved);
  EXPECT_EQ(SeenBy(0), 60) << "not 120";
  ledger_.Release("uid-high");
  EXPECT_EQ(SeenBy(0), 60) << "its bind failed; it is still nominated";
}

TEST_F(ClaimsTest, OtherCardsEndTheClaimsAndACordonDoesNot) {
  ledger_.SetNode(NodeOf("n", 1));
  Claim("high", 5, 60);
  model::Node cordoned = NodeOf("n", 1);
  cordoned.unschedulable = true;
  ledger_.SetNode(cordoned);
  EXPECT_EQ(SeenBy(0), 60);
  model::Node other = NodeOf("other", 1);  // a card with another UUID
  other.name = "n";
  ledger_.SetNode(other);
  EXPECT_EQ(SeenBy(0), 0);
}

TEST_F(ClaimsTest, AClaimOnAnUnknownNodeOrCardIsNone) {
  ledger_.SetNode(NodeOf("n", 1));
  ClaimRequest request;
  request.uid = "high";
  request.priority = 5;
  request.rooms = {{"elsewhere", {{0, model::CardUse{50, 1, 1}}}, {}},
                   {"n", {{3, model::CardUse{50, 1, 1}}}, {}}};
  ledger_.ClaimRoom(request);
  EXPECT_EQ(SeenBy(0), 0);
}

TEST_F(ClaimsTest, APreemptionSeesPodsWithWhatMattersOfThem) {
  ledger_.SetNode(NodeOf("n", 1));
  model::Pod pod = PodOf("a", 30, 4);
  pod.priority = 7;
  const CommitResult result = Commit(pod, "n");
  pod = BoundWith(pod, result);
  pod.deleting = true;
  pod.labels.Add("app", "db");
  ledger_.SetPod(pod);
  Claim("high", 9, 20);
  const auto view = ledger_.ForPreemption("n");
  ASSERT_TRUE(view);
  ASSERT_EQ(view->pods.size(), 1u);
  EXPECT_EQ(view->pods[0].priority, 7);
  EXPECT_TRUE(view->pods[0].leaving);
  EXPECT_EQ(view->pods[0].labels.Find("app"), "db");
  EXPECT_EQ(view->pods[0].sums[scoring::PodSums::kCore], 30);
  EXPECT_EQ(view->pods[0].sums[scoring::PodSums::kCardMib], 1024);
  ASSERT_EQ(view->claims.size(), 1u);
  EXPECT_EQ(view->claims[0].uid, "high");
  EXPECT_FALSE(ledger_.ForPreemption("unknown"));
}

TEST(DisruptionBudgets, AListReplacesAllAndEventsChangeOne) {
  const auto budget = [](const std::string& space, const std::string& name, int allowed) {
    model::DisruptionBudget made;
    made.namespace_name = space;
    made.name = name;
    made.disruptions_allowed = allowed;
    return made;
  };
  DisruptionBudgets budgets;
  EXPECT_FALSE(budgets.listed());
  budgets.Replace({budget("x", "b", 1), budget("x", "a", 2), budget("y", "c", 3)});
  EXPECT_TRUE(budgets.listed());
  ASSERT_EQ(budgets.Of("x").size(), 2u);
  EXPECT_EQ(budgets.Of("x")[0]->name, "a");
  budgets.Put(budget("x", "a", 5));
  EXPECT_EQ(budgets.Of("x")[0]->disruptions_allowed, 5);
  budgets.Remove(budget("y", "c", 0));
  EXPECT_TRUE(budgets.Of("y").empty());
  budgets.Replace({});
  EXPECT_TRUE(budgets.Of("x").empty());
}

}  // namespace
}  // namespace aliquot::ledger
