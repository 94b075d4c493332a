// SPDX-License-Identifier: Apache-2.0
// Rules that hold for every policy, on random nodes.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "scoring/placer.h"
#include "scoring/policy_registry.h"
#include "tests/unit/scoring/test_nodes.h"

namespace aliquot::scoring {
namespace {

int Pick(std::mt19937& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

struct RandomNode {
  std::vector<CardState> cards;
  std::vector<std::string> links;  // square, row by row
  std::vector<int> numa;

  // The same node with its cards in another order.
  TestNode InOrder(const std::vector<std::size_t>& order) const {
    std::vector<CardState> ordered_cards;
    std::vector<std::string> triangle;
    std::vector<int> ordered_numa;
    for (std::size_t a = 0; a < order.size(); ++a) {
      ordered_cards.push_back(cards[order[a]]);
      ordered_numa.push_back(numa[order[a]]);
      for (std::size_t b = a + 1; b < order.size(); ++b) {
        triangle.push_back(links[order[a] * order.size() + order[b]]);
      }
    }
    return TestNode(ordered_cards, Join(triangle, ","), ordered_numa);
  }
};

RandomNode Draw(std::mt19937& random) {
  const char* words[] = {"NV1", "NV2", "PIX", "NODE", "SYS"};
  RandomNode node;
  const auto count = static_cast<std::size_t>(Pick(random, 2, 8));
  node.links.resize(count * count);
  for (std::size_t a = 0; a < count; ++a) {
    const int mib = 8192 * Pick(random, 1, 2);
    node.cards.push_back(Pick(random, 0, 1) == 0
                             ? Card(mib)
                             : Card(mib, 5 * Pick(random, 1, 19), 256 * Pick(random, 0, 24)));
    node.numa.push_back(Pick(random, 0, 1));
    for (std::size_t b = 0; b < a; ++b) {
      node.links[a * count + b] = node.links[b * count + a] = words[Pick(random, 0, 4)];
    }
  }
  return node;
}

model::ContainerDemand DrawDemand(std::mt19937& random) {
  return Pick(random, 0, 1) == 0 ? Whole(Pick(random, 1, 4))
                                 : Share(Pick(random, 1, 60), 256 * Pick(random, 1, 12));
}

class PolicyProperty : public ::testing::TestWithParam<std::string_view> {
 protected:
  static constexpr int kSeed = 271828;
  std::mt19937 random_{kSeed};
  const PlacerOptions options_;
  const Policy& policy_ = *FindPolicy(GetParam());
};

TEST_P(PolicyProperty, TheTermsAddUpToTheRank) {
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  int explained = 0;
  for (int round = 0; round < 500; ++round) {
    const RandomNode drawn = Draw(random_);
    std::vector<std::size_t> order(drawn.cards.size());
    std::iota(order.begin(), order.end(), 0);
    const TestNode node = drawn.InOrder(order);
    std::vector<model::ContainerDemand> containers = {DrawDemand(random_)};
    if (round % 2 == 0) {
      containers.push_back(DrawDemand(random_));
    }
    const model::PodDemand demand = Pod(containers);
    StepBudget budget(options_);
    const Choice choice = Placer(options_, policy_).Choose(node.state(), demand, budget);
    if (!choice.verdict.fits()) {
      continue;
    }
    ++explained;
    const Score of_node = policy_.ExplainNode(node.state(), demand, choice.cards);
    ASSERT_EQ(of_node.total(), policy_.RankNode(node.state(), demand, choice.cards));
    if (!demand.containers[0].whole) {
      const int card = choice.cards[0][0];
      const Score of_card = policy_.ExplainCard(node.state(), demand, demand.containers[0], card);
      ASSERT_EQ(of_card.total(),
                policy_.RankCard(node.state(), demand, demand.containers[0], card));
      std::int64_t sum = 0;
      for (const Term& term : of_card.terms()) {
        sum += term.value;
      }
      ASSERT_EQ(sum, of_card.total());
    }
  }
  EXPECT_GT(explained, 100);
}

TEST_P(PolicyProperty, RenamingTheCardsChangesNoRankOfTheNode) {
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  // First-fit ranks by index on purpose; its rank of a node is always 0.
  int compared = 0;
  for (int round = 0; round < 300; ++round) {
    const RandomNode drawn = Draw(random_);
    std::vector<std::size_t> order(drawn.cards.size());
    std::iota(order.begin(), order.end(), 0);
    const TestNode node = drawn.InOrder(order);
    std::shuffle(order.begin(), order.end(), random_);
    const TestNode renamed = drawn.InOrder(order);
    const model::PodDemand demand = Pod({DrawDemand(random_)});
    const Placer placer(options_, policy_);
    StepBudget budget(options_);
    const Choice choice = placer.Choose(node.state(), demand, budget);
    const Choice other = placer.Choose(renamed.state(), demand, budget);
    ASSERT_EQ(choice.verdict.refusal, other.verdict.refusal);
    if (choice.verdict.fits()) {
      ++compared;
      ASSERT_EQ(policy_.RankNode(node.state(), demand, choice.cards),
                policy_.RankNode(renamed.state(), demand, other.cards))
          << "round " << round;
    }
  }
  EXPECT_GT(compared, 100);
}

TEST_P(PolicyProperty, NoCardRanksAboveTheChosenOne) {
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  for (int round = 0; round < 300; ++round) {
    const RandomNode drawn = Draw(random_);
    std::vector<std::size_t> order(drawn.cards.size());
    std::iota(order.begin(), order.end(), 0);
    const TestNode node = drawn.InOrder(order);
    const model::ContainerDemand share = Share(Pick(random_, 1, 60), 256 * Pick(random_, 1, 12));
    StepBudget budget(options_);
    const Choice choice =
        Placer(options_, policy_).Choose(node.state(), {Pod({share}), false}, budget);
    if (!choice.verdict.fits()) {
      continue;
    }
    const NodeState state = node.state();
    const std::int64_t chosen = policy_.RankCard(state, Pod({share}), share, choice.cards[0][0]);
    for (int card = 0; card < static_cast<int>(state.card_count); ++card) {
      const CardState& each = state.cards[card];
      if (each.core_free() >= share.core && each.mib_free() >= share.mib) {
        ASSERT_LE(policy_.RankCard(state, Pod({share}), share, card), chosen);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, PolicyProperty, ::testing::ValuesIn(PolicyNames()),
                         [](const auto& each) {
                           std::string name(each.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace aliquot::scoring
