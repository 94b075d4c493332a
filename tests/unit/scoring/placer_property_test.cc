// SPDX-License-Identifier: Apache-2.0
// The placer against brute force over every assignment, on random small nodes. The judge is
// model::PeakUse, which shares no code with the search.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

#include "model/peak.h"
#include "scoring/first_fit.h"
#include "scoring/placer.h"
#include "scoring/policy_registry.h"
#include "tests/unit/scoring/test_nodes.h"

namespace aliquot::scoring {
namespace {

constexpr int kMaxSharers = 3;

int Pick(std::mt19937& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

TestNode RandomNode(std::mt19937& random) {
  std::vector<CardState> cards;
  const int count = Pick(random, 1, 4);
  for (int i = 0; i < count; ++i) {
    const int mib = 1024 * Pick(random, 2, 4);
    // Coarse steps, so that cards are often alike and sums are often exact.
    CardState card = Pick(random, 0, 2) == 0
                         ? Card(mib)
                         : Card(mib, 20 * Pick(random, 0, 5), 512 * Pick(random, 0, mib / 512),
                                Pick(random, 1, kMaxSharers));
    card.usable = Pick(random, 0, 7) != 0;
    cards.push_back(card);
  }
  return TestNode(cards);
}

model::PodDemand RandomDemand(std::mt19937& random) {
  std::vector<model::ContainerDemand> before;
  std::vector<model::ContainerDemand> apps;
  const int count = Pick(random, 1, 4);
  for (int i = 0; i < count; ++i) {
    const auto kind = static_cast<model::ContainerKind>(Pick(random, 0, 2));
    model::ContainerDemand container =
        Pick(random, 0, 5) == 0 ? Whole(Pick(random, 1, 2), kind)
                                : Share(10 * Pick(random, 1, 9), 512 * Pick(random, 1, 6), kind);
    if (!container.whole && Pick(random, 0, 7) == 0) {
      container.cards = 2;
    }
    (kind == kApp ? apps : before).push_back(container);
  }
  before.insert(before.end(), apps.begin(), apps.end());
  return Pod(before);
}

// The rules of the resource model, written down again.
bool Allowed(const NodeState& node, const model::PodDemand& demand,
             const model::CardsOfContainers& cards) {
  std::vector<std::int64_t> card_mib;
  for (std::size_t i = 0; i < node.card_count; ++i) {
    card_mib.push_back(node.cards[i].mib_total);
  }
  const std::vector<model::CardUse> peak = model::PeakUse(demand, cards, card_mib);
  for (std::size_t i = 0; i < node.card_count; ++i) {
    const CardState& card = node.cards[i];
    if (peak[i].pods != 0 &&
        (!card.usable || card.pods + 1 > kMaxSharers || card.core_used + peak[i].core > 100 ||
         card.mib_used + peak[i].mib > card.mib_total)) {
      return false;
    }
  }
  for (std::size_t c = 0; c < cards.size(); ++c) {
    for (const int card : cards[c]) {
      if (demand.containers[c].whole && node.cards[card].pods != 0) {
        return false;
      }
    }
  }
  return true;
}

// Tries every choice of cards for every container.
bool AnyAssignmentAllowed(const NodeState& node, const model::PodDemand& demand) {
  model::CardsOfContainers cards(demand.containers.size());
  const std::function<bool(std::size_t)> from = [&](std::size_t container) {
    if (container == cards.size()) {
      return Allowed(node, demand, cards);
    }
    for (topology::CardSet set = 1; set < topology::CardBit(static_cast<int>(node.card_count));
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

std::string Describe(const NodeState& node, const model::PodDemand& demand) {
  std::string text;
  for (std::size_t i = 0; i < node.card_count; ++i) {
    const CardState& card = node.cards[i];
    text += "card " + std::to_string(card.core_used) + " % " + std::to_string(card.mib_used) + "/" +
            std::to_string(card.mib_total) + " MiB " + std::to_string(card.pods) + " pods" +
            (card.usable ? "\n" : " unusable\n");
  }
  for (const model::ContainerDemand& each : demand.containers) {
    text += "container kind " + std::to_string(static_cast<int>(each.kind)) + " " +
            std::to_string(each.cards) + " x " + std::to_string(each.core) + " % " +
            std::to_string(each.mib) + " MiB\n";
  }
  return text;
}

class PlacerProperty : public ::testing::TestWithParam<std::string_view> {
 protected:
  PlacerProperty() { options_.max_sharers_per_card = kMaxSharers; }

  PlacerOptions options_;
  const Policy& policy_ = *FindPolicy(GetParam());
};

TEST_P(PlacerProperty, AgreesWithBruteForceAndNeverOverAllocates) {
  constexpr unsigned kSeed = 31337;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  const Placer placer(options_, policy_);
  int fitting = 0;
  int joint_fitting = 0;
  constexpr int kRounds = 1500;
  for (int round = 0; round < kRounds; ++round) {
    const TestNode node = RandomNode(random);
    const model::PodDemand demand = RandomDemand(random);
    const NodeState state = node.state();
    SCOPED_TRACE("round " + std::to_string(round) + "\n" + Describe(state, demand));
    StepBudget check_budget(options_);
    StepBudget choose_budget(options_);
    const Verdict checked = placer.Check(state, demand, check_budget);
    const Choice choice = placer.Choose(state, demand, choose_budget);

    ASSERT_EQ(checked.fits(), AnyAssignmentAllowed(state, demand)) << RefusalName(checked.refusal);
    ASSERT_FALSE(checked.cut_short);
    ASSERT_EQ(choice.verdict.refusal, checked.refusal);
    if (!choice.verdict.fits()) {
      ASSERT_TRUE(choice.cards.empty());
      continue;
    }
    ++fitting;
    joint_fitting += demand.containers.size() > 1 ? 1 : 0;
    ASSERT_EQ(choice.cards.size(), demand.containers.size());
    for (std::size_t c = 0; c < choice.cards.size(); ++c) {
      // Different cards, ascending, as many as asked.
      ASSERT_EQ(static_cast<int>(choice.cards[c].size()), demand.containers[c].cards);
      ASSERT_TRUE(std::is_sorted(choice.cards[c].begin(), choice.cards[c].end()));
      ASSERT_EQ(std::adjacent_find(choice.cards[c].begin(), choice.cards[c].end()),
                choice.cards[c].end());
    }
    ASSERT_TRUE(Allowed(state, demand, choice.cards));
  }
  // The draw must hold both answers, or the test says little.
  EXPECT_GT(joint_fitting, kRounds / 20);
  EXPECT_LT(fitting, kRounds * 3 / 4);
}

TEST_P(PlacerProperty, WithFewStepsCheckAndChooseAgreeAndWhatFitsIsAllowed) {
  constexpr unsigned kSeed = 60221;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  int cut_short = 0;
  for (int round = 0; round < 1500; ++round) {
    const TestNode node = RandomNode(random);
    const model::PodDemand demand = RandomDemand(random);
    options_.steps_per_node = Pick(random, 0, 5);
    const Placer placer(options_, policy_);
    const NodeState state = node.state();
    StepBudget check_budget(options_);
    StepBudget choose_budget(options_);
    const Verdict checked = placer.Check(state, demand, check_budget);
    const Choice choice = placer.Choose(state, demand, choose_budget);
    SCOPED_TRACE("round " + std::to_string(round) + "\n" + Describe(state, demand));
    ASSERT_EQ(choice.verdict.refusal, checked.refusal);
    ASSERT_EQ(choice.verdict.cut_short, checked.cut_short);
    ASSERT_GE(choose_budget.left(), options_.steps_per_request - options_.steps_per_node);
    if (checked.fits()) {
      ASSERT_TRUE(Allowed(state, demand, choice.cards));
    } else if (!checked.cut_short) {
      ASSERT_FALSE(AnyAssignmentAllowed(state, demand));
    }
    cut_short += checked.cut_short ? 1 : 0;
  }
  EXPECT_GT(cut_short, 50);
}

TEST_P(PlacerProperty, SaysNeverExactlyWhenTheEmptyNodeCouldNotHoldThePod) {
  constexpr unsigned kSeed = 4711;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  const Placer placer(options_, policy_);
  int never = 0;
  int later = 0;
  for (int round = 0; round < 1500; ++round) {
    const TestNode node = RandomNode(random);
    const model::PodDemand demand = RandomDemand(random);
    StepBudget budget(options_);
    const Refusal refusal = placer.Check(node.state(), demand, budget).refusal;
    if (refusal == Refusal::kNone) {
      continue;
    }
    TestNode empty = node;
    for (CardState& card : empty.cards()) {
      const bool usable = card.usable;
      card = Card(card.mib_total);
      card.usable = usable;
    }
    const bool could = AnyAssignmentAllowed(empty.state(), demand);
    ASSERT_EQ(CouldFitLater(refusal), could)
        << "round " << round << " " << RefusalName(refusal) << "\n"
        << Describe(node.state(), demand);
    ++(could ? later : never);
  }
  EXPECT_GT(never, 100);
  EXPECT_GT(later, 100);
}

INSTANTIATE_TEST_SUITE_P(Policies, PlacerProperty, ::testing::ValuesIn(PolicyNames()),
                         [](const auto& each) {
                           std::string name(each.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(PlacerSingleProperty, NotOnOneCardExactlyWhenTheSumsWouldDoAndNoCardDoes) {
  constexpr unsigned kSeed = 99;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  const FirstFit policy;
  const PlacerOptions options;  // 16 sharers: the limit never bites here
  int seen = 0;
  for (int round = 0; round < 3000; ++round) {
    const TestNode node = RandomNode(random);
    const model::ContainerDemand share = Share(10 * Pick(random, 1, 9), 512 * Pick(random, 1, 4));
    int core = 0;
    int mib = 0;
    int with_room = 0;
    bool any_usable = false;
    for (std::size_t i = 0; i < node.state().card_count; ++i) {
      const CardState& card = node.state().cards[i];
      if (card.usable) {
        any_usable = true;
        core += std::max(0, card.core_free());
        mib += card.mib_free();
        with_room += card.core_free() >= share.core && card.mib_free() >= share.mib ? 1 : 0;
      }
    }
    StepBudget budget(options);
    const Refusal refusal =
        Placer(options, policy).Check(node.state(), {Pod({share}), false}, budget).refusal;
    const bool expected = with_room == 0 && core >= share.core && mib >= share.mib && any_usable;
    ASSERT_EQ(refusal == Refusal::kNotOnOneCard, expected) << RefusalName(refusal);
    seen += expected ? 1 : 0;
  }
  EXPECT_GT(seen, 50);
}

}  // namespace
}  // namespace aliquot::scoring
