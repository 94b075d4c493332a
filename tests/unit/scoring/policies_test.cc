// SPDX-License-Identifier: Apache-2.0
// What each policy prefers, on nodes small enough to check by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scoring/binpack.h"
#include "scoring/composite.h"
#include "scoring/first_fit.h"
#include "scoring/placer.h"
#include "scoring/policy_registry.h"
#include "scoring/spread.h"
#include "scoring/topology.h"
#include "tests/unit/scoring/test_nodes.h"

namespace aliquot::scoring {
namespace {

using ::testing::ElementsAre;

std::vector<int> CardsOf(const Policy& policy, const TestNode& node,
                         const model::ContainerDemand& container) {
  const PlacerOptions options;
  StepBudget budget(options);
  return Placer(options, policy)
      .Choose(node.state(), {Pod({container}), false}, budget)
      .cards.at(0);
}

std::int64_t RankOf(const Policy& policy, const TestNode& node,
                    const model::ContainerDemand& container) {
  return policy.RankNode(node.state(), Pod({container}), {CardsOf(policy, node, container)});
}

std::vector<std::pair<std::string_view, std::int64_t>> TermsOf(const Score& score) {
  std::vector<std::pair<std::string_view, std::int64_t>> terms;
  for (const Term& term : score.terms()) {
    terms.emplace_back(term.name, term.value);
  }
  return terms;
}

// Four cards; 0-1 and 2-3 are NVLink pairs.
constexpr char kTwoPairs[] = "NV4,SYS,SYS,SYS,SYS,NV4";

TEST(Binpack, TakesTheTightestCard) {
  // Left after 20 % and 4 GiB of 16: card 0 800 + 750, card 1 300 + 250, card 2 400 + 500.
  const TestNode node({Card(16384), Card(16384, 50, 8192), Card(16384, 40, 4096)});
  EXPECT_THAT(CardsOf(Binpack(), node, Share(20, 4096)), ElementsAre(1));
  EXPECT_THAT(
      TermsOf(Binpack().ExplainCard(node.state(), Pod({Share(20, 4096)}), Share(20, 4096), 1)),
      ElementsAre(std::make_pair("core_left", -300), std::make_pair("memory_left", -250)));
}

TEST(Binpack, MeasuresMemoryByTheCardsOwnSize) {
  // 4 GiB leave nothing of a 4 GiB card, and 3/4 of a 16 GiB card.
  const TestNode node({Card(16384), Card(4096)});
  EXPECT_THAT(CardsOf(Binpack(), node, Share(20, 4096)), ElementsAre(1));
}

TEST(Binpack, OfEqualCardsTheFirst) {
  EXPECT_THAT(CardsOf(Binpack(), TestNode({Card(4096, 10, 0), Card(4096, 10, 0)}), Share(5, 256)),
              ElementsAre(0));
}

TEST(Binpack, PrefersTheFullerNode) {
  // Both nodes give the share an idle card; node b has a card in use beside it.
  const TestNode a({Card(16384), Card(16384)});
  const TestNode b({Card(16384, 90, 0), Card(16384)});
  EXPECT_GT(RankOf(Binpack(), b, Share(20, 4096)), RankOf(Binpack(), a, Share(20, 4096)));
}

TEST(Binpack, ExplainsANodeByFullnessAndWhatIsLeft) {
  // Used of the node: 60 % of 200 % = 300, 8 of 32 GiB = 250. Left on card 0: 20 % = 200,
  // 16 - 8 - 4 = 4 of 16 GiB = 250; together 450.
  const TestNode node({Card(16384, 60, 8192), Card(16384)});
  EXPECT_THAT(
      TermsOf(Binpack().ExplainNode(node.state(), Pod({Share(20, 4096)}), {{0}})),
      ElementsAre(std::make_pair("node_core_used", 300), std::make_pair("node_memory_used", 250),
                  std::make_pair("left_on_cards", -450)));
}

TEST(Spread, TakesTheEmptiestCardAndNode) {
  const TestNode a({Card(16384, 50, 8192), Card(16384, 10, 1024)});
  const TestNode b({Card(16384, 50, 8192), Card(16384, 60, 1024)});
  EXPECT_THAT(CardsOf(Spread(), a, Share(20, 4096)), ElementsAre(1));
  EXPECT_GT(RankOf(Spread(), a, Share(20, 4096)), RankOf(Spread(), b, Share(20, 4096)));
}

TEST(FirstFit, TakesTheLowestCardsAndKnowsNoBetterNode) {
  const TestNode node({Card(16384, 100, 0), Card(16384, 90, 0), Card(16384), Card(16384)},
                      kTwoPairs);
  EXPECT_THAT(CardsOf(FirstFit(), node, Share(5, 256)), ElementsAre(1));
  const TestNode idle(std::vector<CardState>(4, Card(16384)), "SYS,NV4,SYS,SYS,NV4,SYS");
  EXPECT_THAT(CardsOf(FirstFit(), idle, Whole(2)), ElementsAre(0, 1));
  EXPECT_EQ(RankOf(FirstFit(), idle, Whole(2)), 0);
}

TEST(Topology, TakesTheBestConnectedIdleSet) {
  const TestNode node({Card(16384), Card(16384, 10, 0), Card(16384), Card(16384)}, kTwoPairs);
  EXPECT_THAT(CardsOf(Topology(), node, Whole(2)), ElementsAre(2, 3));
}

TEST(Topology, RanksANodeByTheRingThenPairsThenNuma) {
  // The pair 0-1: ring 100 GB/s, sum 100, one NUMA node.
  const TestNode node(std::vector<CardState>(4, Card(16384)), kTwoPairs);
  EXPECT_THAT(TermsOf(Topology().ExplainNode(node.state(), Pod({Whole(2)}), {{0, 1}})),
              ElementsAre(std::make_pair("ring", 100'000'000'000), std::make_pair("pairs", 10'000),
                          std::make_pair("numa_nodes", -1)));
}

TEST(Topology, APodIsAsFastAsItsSlowestRing) {
  // Pairs 0-1 (NV4, 100) and 2-3 (SYS, 16): the ring term is 16; a single card has no ring.
  const TestNode node(std::vector<CardState>(5, Card(16384)),
                      "NV4,SYS,SYS,SYS,SYS,SYS,SYS,SYS,SYS,SYS");
  const Score score = Topology().ExplainNode(node.state(), Pod({Whole(1), Whole(2), Whole(2)}),
                                             {{4}, {0, 1}, {2, 3}});
  EXPECT_EQ(score.terms()[0].value, 16'000'000'000);
  EXPECT_EQ(score.terms()[1].value, 100 * (100 + 16));
}

TEST(Topology, AShareTakesASharedCardOrTheOneWhoseLinksCostLeast) {
  const TestNode some_shared({Card(16384), Card(16384), Card(16384, 10, 0), Card(16384)},
                             kTwoPairs);
  EXPECT_THAT(CardsOf(Topology(), some_shared, Share(10, 256)), ElementsAre(2));
  // Card 2 is full: 3 has lost its partner already, 0 and 1 have not.
  const TestNode one_single({Card(16384), Card(16384), Card(16384, 100, 0), Card(16384)},
                            kTwoPairs);
  EXPECT_THAT(CardsOf(Topology(), one_single, Share(10, 256)), ElementsAre(3));
}

TEST(Composite, AShareGoesToACardInUseWhenOneFits) {
  // Card 1 is looser by memory than a smaller idle card 0 would be, but card 0 is idle.
  const TestNode node({Card(4096), Card(16384, 10, 256)});
  EXPECT_THAT(CardsOf(Binpack(), node, Share(20, 4096)), ElementsAre(0));
  EXPECT_THAT(CardsOf(Composite(), node, Share(20, 4096)), ElementsAre(1));
}

TEST(Composite, OfCardsInUseTheOneThatCanStillLendAsMuch) {
  // The assumed mix has halves and quarters. With 20 more taken, the card with 90 % left has room
  // for one half fewer, the one with 50 % loses its half, and the one with 70 % keeps its half.
  const TestNode node({Card(16384, 10, 0), Card(16384, 50, 0), Card(16384, 30, 0)});
  EXPECT_THAT(CardsOf(Composite(), node, Share(20, 256)), ElementsAre(2));
}

TEST(Composite, OfCardsThatLoseTheSameTheTightestInUse) {
  // Neither 18 % nor 24 % holds a quarter: nothing is lost on either.
  const TestNode node({Card(16384), Card(16384, 76, 0), Card(16384, 82, 0)});
  EXPECT_THAT(CardsOf(Composite(), node, Share(10, 256)), ElementsAre(2));
}

TEST(Composite, AnIdleCardIsTakenWhereItsLinksCostLeast) {
  const TestNode node({Card(16384), Card(16384), Card(16384, 100, 0), Card(16384)}, kTwoPairs);
  EXPECT_THAT(CardsOf(Composite(), node, Share(10, 256)), ElementsAre(3));
}

TEST(Composite, WholeCardsTakeTheBestConnectedSet) {
  const TestNode node({Card(16384), Card(16384, 10, 0), Card(16384), Card(16384)}, kTwoPairs);
  EXPECT_THAT(CardsOf(Composite(), node, Whole(2)), ElementsAre(2, 3));
}

TEST(Composite, OfNodesThatLoseTheSameTheBetterConnectedSet) {
  const std::vector<CardState> two_idle = {Card(16384), Card(16384), Card(16384, 99, 16000),
                                           Card(16384, 99, 16000)};
  const TestNode linked(two_idle, kTwoPairs);
  const TestNode apart(two_idle, "SYS,NV4,SYS,SYS,NV4,SYS");
  EXPECT_GT(RankOf(Composite(), linked, Whole(2)), RankOf(Composite(), apart, Whole(2)));
}

TEST(Composite, RoomForFourCardsOutweighsABetterConnectedPair) {
  const TestNode linked(std::vector<CardState>(4, Card(16384)), kTwoPairs);
  const TestNode broken({Card(16384), Card(16384, 99, 16000), Card(16384), Card(16384, 99, 16000)},
                        "NV1,NV1,NV1,NV1,NV1,NV1");
  EXPECT_GT(RankOf(Composite(), broken, Whole(2)), RankOf(Composite(), linked, Whole(2)));
}

TEST(Composite, OneWholeCardGoesToTheFullerNode) {
  const TestNode idle(std::vector<CardState>(4, Card(16384)), kTwoPairs);
  const TestNode fuller({Card(16384, 50, 0), Card(16384, 50, 0), Card(16384), Card(16384)},
                        kTwoPairs);
  EXPECT_GT(RankOf(Composite(), fuller, Whole(1)), RankOf(Composite(), idle, Whole(1)));
}

TEST(Composite, AShareGoesToTheNodeWhereItOpensNoIdleCard) {
  // Node a is fuller, but its used cards have no room; node b has a used card with room.
  const TestNode a({Card(16384, 100, 0), Card(16384)});
  const TestNode b({Card(16384, 10, 0), Card(16384)});
  EXPECT_GT(RankOf(Composite(), b, Share(20, 256)), RankOf(Composite(), a, Share(20, 256)));
}

TEST(PolicyRegistry, FindsEachPolicyByItsName) {
  EXPECT_THAT(PolicyNames(), ElementsAre("composite", "fragmentation", "binpack", "spread",
                                         "topology", "first-fit", "fgd"));
  for (const std::string_view name : PolicyNames()) {
    ASSERT_NE(FindPolicy(name), nullptr);
    EXPECT_EQ(FindPolicy(name)->name(), name);
  }
  EXPECT_EQ(PolicyNames().front(), kDefaultPolicy);
}

TEST(PolicyRegistry, AnUnknownNameIsAnErrorThatListsTheNames) {
  EXPECT_EQ(FindPolicy("tightest"), nullptr);
  EXPECT_EQ(PolicyNamed("tightest").status().message(),
            "policy is \"tightest\", not known; use one of composite, fragmentation, binpack, "
            "spread, topology, first-fit, fgd");
}

}  // namespace
}  // namespace aliquot::scoring
