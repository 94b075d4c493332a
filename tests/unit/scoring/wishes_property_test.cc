// SPDX-License-Identifier: Apache-2.0
// The placer under random wishes against brute force over every assignment of small nodes. The
// judges, model::PeakUse and the rules written down here, share no code with the search.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include "model/peak.h"
#include "scoring/placer.h"
#include "scoring/policy_registry.h"
#include "tests/unit/scoring/test_nodes.h"

namespace aliquot::scoring {
namespace {

constexpr int kMaxSharers = 16;

int Pick(std::mt19937& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

// A node as plain data, so that it can be permuted.
struct Plan {
  std::vector<CardState> cards;
  std::vector<std::string> models;
  std::vector<int> numa;
  std::vector<std::vector<std::string>> links;  // square

  TestNode Node() const {
    std::string triangle;
    for (std::size_t a = 0; a < cards.size(); ++a) {
      for (std::size_t b = a + 1; b < cards.size(); ++b) {
        triangle += (triangle.empty() ? "" : ",") + links[a][b];
      }
    }
    TestNode node(cards, triangle, numa);
    node.set_models(models);
    return node;
  }
};

Plan RandomPlan(std::mt19937& random) {
  Plan plan;
  const int count = Pick(random, 1, 5);
  for (int i = 0; i < count; ++i) {
    CardState card = Pick(random, 0, 1) == 0
                         ? Card(4096)
                         : Card(4096, 25 * Pick(random, 0, 4), 1024 * Pick(random, 0, 4), 1);
    card.usable = Pick(random, 0, 9) != 0;
    plan.cards.push_back(card);
    plan.models.emplace_back(Pick(random, 0, 2) == 0 ? "Tesla T4" : "NVIDIA A100");
    plan.numa.push_back(Pick(random, -1, 1));
  }
  const char* const words[] = {"NV1", "NV2", "NV4", "C2C", "SYS"};
  plan.links.assign(plan.cards.size(), std::vector<std::string>(plan.cards.size(), "X"));
  for (std::size_t a = 0; a < plan.cards.size(); ++a) {
    for (std::size_t b = a + 1; b < plan.cards.size(); ++b) {
      plan.links[a][b] = plan.links[b][a] = words[Pick(random, 0, 4)];
    }
  }
  return plan;
}

model::PodDemand RandomDemand(std::mt19937& random) {
  std::vector<model::ContainerDemand> before;
  std::vector<model::ContainerDemand> apps;
  const int count = Pick(random, 1, 3);
  for (int i = 0; i < count; ++i) {
    const auto kind = static_cast<model::ContainerKind>(Pick(random, 0, 2));
    model::ContainerDemand container =
        Pick(random, 0, 2) == 0 ? Whole(Pick(random, 1, 3), kind)
                                : Share(25 * Pick(random, 1, 3), 1024 * Pick(random, 1, 3), kind);
    if (!container.whole) {
      container.cards = Pick(random, 1, 3);
    }
    (kind == kApp ? apps : before).push_back(container);
  }
  before.insert(before.end(), apps.begin(), apps.end());
  model::PodDemand demand = Pod(before);
  demand.wishes.all_nvlink = Pick(random, 0, 2) == 0;
  demand.wishes.one_numa = Pick(random, 0, 2) == 0;
  if (Pick(random, 0, 2) == 0) {
    demand.wishes.models = {"A100"};
  }
  if (Pick(random, 0, 3) == 0) {
    demand.wishes.uuids_excluded = {"GPU-" + std::to_string(Pick(random, 0, 4))};
  }
  if (Pick(random, 0, 3) == 0) {
    demand.wishes.placement = static_cast<model::Placement>(Pick(random, 1, 3));
  }
  return demand;
}

// The words of docs/reference/annotations.md, written down again.
bool Keeps(const Plan& plan, const model::PodDemand& demand,
           const model::CardsOfContainers& cards) {
  const model::CardWishes& wishes = demand.wishes;
  std::vector<int> all;
  for (const std::vector<int>& each : cards) {
    all.insert(all.end(), each.begin(), each.end());
  }
  for (const int card : all) {
    const auto at = static_cast<std::size_t>(card);
    if (!wishes.models.empty() && plan.models[at] != "NVIDIA A100") {
      return false;
    }
    for (const std::string& uuid : wishes.uuids_excluded) {
      if (uuid == "GPU-" + std::to_string(card)) {
        return false;
      }
    }
    for (const int other : all) {
      const auto to = static_cast<std::size_t>(other);
      if (card == other) {
        continue;
      }
      if (wishes.all_nvlink && plan.links[at][to].substr(0, 2) != "NV") {
        return false;
      }
      if (wishes.one_numa && (plan.numa[at] < 0 || plan.numa[at] != plan.numa[to])) {
        return false;
      }
    }
  }
  return true;
}

bool HasRoom(const std::vector<CardState>& states, const model::PodDemand& demand,
             const model::CardsOfContainers& cards) {
  std::vector<std::int64_t> card_mib;
  for (const CardState& card : states) {
    card_mib.push_back(card.mib_total);
  }
  const std::vector<model::CardUse> peak = model::PeakUse(demand, cards, card_mib);
  for (std::size_t i = 0; i < states.size(); ++i) {
    const CardState& card = states[i];
    if (peak[i].pods != 0 &&
        (!card.usable || card.pods + 1 > kMaxSharers || card.core_used + peak[i].core > 100 ||
         card.mib_used + peak[i].mib > card.mib_total)) {
      return false;
    }
  }
  for (std::size_t c = 0; c < cards.size(); ++c) {
    for (const int card : cards[c]) {
      if (demand.containers[c].whole && states[static_cast<std::size_t>(card)].pods != 0) {
        return false;
      }
    }
  }
  return true;
}

bool AnyAssignment(const Plan& plan, const std::vector<CardState>& states,
                   const model::PodDemand& demand) {
  model::CardsOfContainers cards(demand.containers.size());
  const std::function<bool(std::size_t)> from = [&](std::size_t container) {
    if (container == cards.size()) {
      return HasRoom(states, demand, cards) && Keeps(plan, demand, cards);
    }
    for (topology::CardSet set = 1; set < topology::CardBit(static_cast<int>(states.size()));
         ++set) {
      if (topology::CountOf(set) == demand.containers[container].cards) {
        cards[container] = topology::IndicesOf(set);
        if (from(container + 1)) {
          return true;
        }
      }
    }
    return false;
  };
  return from(0);
}

std::vector<CardState> Emptied(std::vector<CardState> cards) {
  for (CardState& card : cards) {
    const bool usable = card.usable;
    card = Card(card.mib_total);
    card.usable = usable;
  }
  return cards;
}

class WishesProperty : public ::testing::TestWithParam<std::string_view> {
 protected:
  PlacerOptions options_;
};

TEST_P(WishesProperty, AgreesWithBruteForceAndChosenCardsKeepThem) {
  constexpr unsigned kSeed = 20263;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  const Placer placer(options_, *FindPolicy(GetParam()));
  int fitting = 0;
  int bound = 0;
  int never = 0;
  for (int round = 0; round < 800; ++round) {
    const Plan plan = RandomPlan(random);
    const model::PodDemand demand = RandomDemand(random);
    SCOPED_TRACE("round " + std::to_string(round));
    const TestNode node = plan.Node();
    StepBudget check_budget(options_);
    StepBudget choose_budget(options_);
    const Verdict checked = placer.Check(node.state(), demand, check_budget);
    const Choice choice = placer.Choose(node.state(), demand, choose_budget);
    ASSERT_FALSE(checked.cut_short);
    ASSERT_EQ(checked.refusal, choice.verdict.refusal);
    ASSERT_EQ(checked.fits(), AnyAssignment(plan, plan.cards, demand))
        << RefusalName(checked.refusal);
    if (checked.fits()) {
      ASSERT_TRUE(HasRoom(plan.cards, demand, choice.cards));
      ASSERT_TRUE(Keeps(plan, demand, choice.cards));
      ++fitting;
      bound += demand.wishes.binds_cards_together() ? 1 : 0;
    } else {
      ASSERT_EQ(CouldFitLater(checked.refusal), AnyAssignment(plan, Emptied(plan.cards), demand))
          << RefusalName(checked.refusal);
      never += CouldFitLater(checked.refusal) ? 0 : 1;
    }
  }
  // The draw must hold every kind of answer, or the test says little.
  EXPECT_GT(fitting, 100);
  EXPECT_GT(bound, 25);
  EXPECT_GT(never, 100);
}

TEST_P(WishesProperty, TheReasonIsAWishExactlyWhenThePodFitsWithoutIt) {
  constexpr unsigned kSeed = 7741;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  const Placer placer(options_, *FindPolicy(GetParam()));
  int named = 0;
  for (int round = 0; round < 800; ++round) {
    const Plan plan = RandomPlan(random);
    const model::PodDemand demand = RandomDemand(random);
    SCOPED_TRACE("round " + std::to_string(round));
    const TestNode node = plan.Node();
    StepBudget budget(options_);
    const Refusal refusal = placer.Check(node.state(), demand, budget).refusal;
    if (refusal == Refusal::kNone || refusal == Refusal::kNoUsableCard ||
        refusal == Refusal::kNoSuchModel || refusal == Refusal::kNoSuchUuid) {
      continue;
    }
    model::PodDemand free = demand;
    free.wishes.all_nvlink = false;
    free.wishes.one_numa = false;
    const bool later = CouldFitLater(refusal);
    const std::vector<CardState> states = later ? plan.cards : Emptied(plan.cards);
    const bool in_the_way = refusal == Refusal::kNotNvlinked || refusal == Refusal::kNotOneNuma ||
                            refusal == Refusal::kNvlinkedTaken || refusal == Refusal::kNumaTaken;
    ASSERT_EQ(in_the_way, AnyAssignment(plan, states, free)) << RefusalName(refusal);
    if (in_the_way) {
      model::PodDemand only_link = demand;
      only_link.wishes.one_numa = false;
      const bool link_will_do = !demand.wishes.all_nvlink || AnyAssignment(plan, states, only_link);
      ASSERT_EQ(refusal == Refusal::kNotOneNuma || refusal == Refusal::kNumaTaken, link_will_do)
          << RefusalName(refusal);
      ++named;
    }
  }
  EXPECT_GT(named, 25);
}

TEST_P(WishesProperty, PermutingTheCardsPermutesTheVerdict) {
  constexpr unsigned kSeed = 90210;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  const Placer placer(options_, *FindPolicy(GetParam()));
  for (int round = 0; round < 500; ++round) {
    const Plan plan = RandomPlan(random);
    model::PodDemand demand = RandomDemand(random);
    demand.wishes.uuids_excluded.clear();
    std::vector<std::size_t> order(plan.cards.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    Plan permuted = plan;
    for (std::size_t a = 0; a < order.size(); ++a) {
      permuted.cards[a] = plan.cards[order[a]];
      permuted.models[a] = plan.models[order[a]];
      permuted.numa[a] = plan.numa[order[a]];
      for (std::size_t b = 0; b < order.size(); ++b) {
        permuted.links[a][b] = plan.links[order[a]][order[b]];
      }
    }
    SCOPED_TRACE("round " + std::to_string(round));
    StepBudget budget(options_);
    ASSERT_EQ(placer.Check(plan.Node().state(), demand, budget).refusal,
              placer.Check(permuted.Node().state(), demand, budget).refusal);
    StepBudget fresh(options_);
    const Choice choice = placer.Choose(permuted.Node().state(), demand, fresh);
    if (choice.verdict.fits()) {
      ASSERT_TRUE(Keeps(permuted, demand, choice.cards));
    }
  }
}

TEST_P(WishesProperty, WithFewStepsTheyAreKeptAllTheSame) {
  constexpr unsigned kSeed = 1618;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  int cut_short = 0;
  for (int round = 0; round < 800; ++round) {
    const Plan plan = RandomPlan(random);
    const model::PodDemand demand = RandomDemand(random);
    options_.steps_per_node = Pick(random, 0, 4);
    const Placer placer(options_, *FindPolicy(GetParam()));
    const TestNode node = plan.Node();
    SCOPED_TRACE("round " + std::to_string(round));
    StepBudget check_budget(options_);
    StepBudget choose_budget(options_);
    const Verdict checked = placer.Check(node.state(), demand, check_budget);
    const Choice choice = placer.Choose(node.state(), demand, choose_budget);
    ASSERT_EQ(checked.refusal, choice.verdict.refusal);
    ASSERT_EQ(checked.cut_short, choice.verdict.cut_short);
    cut_short += checked.cut_short ? 1 : 0;
    if (choice.verdict.fits()) {
      ASSERT_TRUE(HasRoom(plan.cards, demand, choice.cards));
      ASSERT_TRUE(Keeps(plan, demand, choice.cards));
    } else if (!checked.cut_short) {
      ASSERT_FALSE(AnyAssignment(plan, plan.cards, demand)) << RefusalName(checked.refusal);
    }
  }
  EXPECT_GT(cut_short, 25);
}

INSTANTIATE_TEST_SUITE_P(Policies, WishesProperty, ::testing::ValuesIn(PolicyNames()),
                         [](const auto& each) {
                           std::string name(each.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace aliquot::scoring
