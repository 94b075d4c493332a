// SPDX-License-Identifier: Apache-2.0
#include "extender/victim_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <random>
#include <tuple>

namespace aliquot::extender {
namespace {

using scoring::PodSums;

constexpr std::int64_t kMib = 1000;  // of every card

model::CardUse Use(int core, std::int64_t mib) { return {core, 1, mib}; }

Evictable PodOn(const std::string& name, int card, int core, std::int64_t priority = 0) {
  Evictable pod;
  pod.name = name;
  pod.priority = priority;
  pod.uses = {{card, Use(core, core)}};
  pod.sums[PodSums::kCore] = core;
  return pod;
}

// A share of `core` percent and as many MiB, on `cards` cards.
VictimQuestion QuestionFor(int core, int cards, int card_count,
                           const std::vector<Evictable>& pods) {
  VictimQuestion question;
  question.used.resize(static_cast<std::size_t>(card_count));
  question.mib.assign(static_cast<std::size_t>(card_count), kMib);
  for (const Evictable& pod : pods) {
    for (const auto& [card, use] : pod.uses) {
      model::CardUse& sum = question.used[static_cast<std::size_t>(card)];
      sum.core += use.core;
      sum.mib += use.mib;
      sum.pods += use.pods;
    }
  }
  question.hardest.core = core;
  question.hardest.mib = core;
  question.hardest.cards = cards;
  const int max_sharers = question.max_sharers;
  question.fits = [core, cards, max_sharers](const std::vector<model::CardUse>& used) {
    return std::count_if(used.begin(), used.end(), [&](const model::CardUse& use) {
             return use.core + core <= 100 && use.mib + core <= kMib && use.pods < max_sharers;
           }) >= cards;
  };
  return question;
}

std::vector<std::string> NamesOf(const VictimAnswer& answer, const std::vector<Evictable>& pods) {
  std::vector<std::string> names;
  for (const int victim : answer.victims) {
    names.push_back(pods[static_cast<std::size_t>(victim)].name);
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(FindVictims, OneOnTheRightCardBeatsTwoOnAnother) {
  // Card 0: 50 + 45. Card 1: 90. 60 more: on card 0 both must go, on card 1 one.
  const std::vector<Evictable> pods = {PodOn("a", 0, 50), PodOn("b", 0, 45), PodOn("c", 1, 90)};
  const VictimAnswer answer = FindVictims(QuestionFor(60, 1, 2, pods), pods);
  EXPECT_TRUE(answer.found);
  EXPECT_EQ(NamesOf(answer, pods), Names({"c"}));
}

TEST(FindVictims, OfSetsOfOneSizeTheHighestPriorityDecidesFirst) {
  // Either both of card 0 (5, 1) or both of card 1 (4, 4) make room for 80.
  const std::vector<Evictable> pods = {PodOn("a", 0, 50, 5), PodOn("b", 0, 50, 1),
                                       PodOn("c", 1, 50, 4), PodOn("d", 1, 50, 4)};
  const VictimAnswer answer = FindVictims(QuestionFor(80, 1, 2, pods), pods);
  EXPECT_EQ(NamesOf(answer, pods), Names({"d", "c"}));
}

TEST(FindVictims, SizeCountsBeforePriority) {
  // One of priority 9, or two of priority 0.
  const std::vector<Evictable> pods = {PodOn("a", 0, 80, 9), PodOn("b", 1, 40), PodOn("c", 1, 40)};
  EXPECT_EQ(NamesOf(FindVictims(QuestionFor(70, 1, 2, pods), pods), pods), Names({"a"}));
}

TEST(FindVictims, FewerBrokenBudgetsDecideBetweenEqualPriorities) {
  std::vector<Evictable> pods = {PodOn("a", 0, 80), PodOn("b", 1, 80)};
  pods[0].budgets = {0};
  VictimQuestion question = QuestionFor(70, 1, 2, pods);
  question.allowed = {0};
  EXPECT_EQ(NamesOf(FindVictims(question, pods), pods), Names({"b"}));
}

TEST(FindVictims, AnAllowedDisruptionBreaksNothing) {
  std::vector<Evictable> pods = {PodOn("a", 0, 80), PodOn("b", 1, 80, 1)};
  pods[0].budgets = {0};
  VictimQuestion question = QuestionFor(70, 1, 2, pods);
  question.allowed = {1};
  EXPECT_EQ(NamesOf(FindVictims(question, pods), pods), Names({"a"}));
}

TEST(FindVictims, TheSumsThatAreMissingMustComeBackToo) {
  // The card of "a" alone would do, but 300 milli-cores are missing and "b" has them.
  std::vector<Evictable> pods = {PodOn("a", 0, 80), PodOn("b", 1, 10)};
  pods[1].sums[PodSums::kCpuMilli] = 300;
  VictimQuestion question = QuestionFor(95, 1, 2, pods);
  question.missing[PodSums::kCpuMilli] = 300;
  EXPECT_EQ(NamesOf(FindVictims(question, pods), pods), Names({"b"}));
  question = QuestionFor(95, 2, 2, pods);
  question.missing[PodSums::kCpuMilli] = 300;
  EXPECT_EQ(FindVictims(question, pods).victims.size(), 2u);
}

TEST(FindVictims, NothingHelpsWhereOthersFillEveryCard) {
  const std::vector<Evictable> pods = {PodOn("a", 0, 30)};
  VictimQuestion question = QuestionFor(60, 1, 1, pods);
  question.used[0].core += 50;  // 50 stay whatever happens, so 50 is the most that comes free
  EXPECT_FALSE(FindVictims(question, pods).found);
}

TEST(FindVictims, NobodyGoesWhereTheRoomIsThere) {
  const std::vector<Evictable> pods = {PodOn("a", 0, 30)};
  const VictimAnswer answer = FindVictims(QuestionFor(60, 1, 1, pods), pods);
  EXPECT_TRUE(answer.found);
  EXPECT_TRUE(answer.victims.empty());
}

TEST(FindVictims, TheMostSharersAreHeldTo) {
  std::vector<Evictable> pods;
  for (int i = 0; i < 4; ++i) {
    pods.push_back(PodOn("p" + std::to_string(i), 0, 5));
  }
  VictimQuestion question = QuestionFor(10, 1, 1, pods);
  question.max_sharers = 3;
  question.fits = [](const std::vector<model::CardUse>& used) { return used[0].pods < 3; };
  EXPECT_EQ(NamesOf(FindVictims(question, pods), pods), Names({"p1", "p0"}));
}

TEST(FindVictims, OutOfStepsGivesTheSparingAnswer) {
  // By sparing from the top: all of priority 1 stay, so card 1 is emptied, two pods; one of card 0
  // would do.
  std::vector<Evictable> pods = {PodOn("a", 0, 80, 1), PodOn("b", 1, 45), PodOn("c", 1, 45)};
  VictimQuestion question = QuestionFor(70, 1, 2, pods);
  question.max_steps = 0;
  const VictimAnswer answer = FindVictims(question, pods);
  EXPECT_TRUE(answer.cut_short);
  EXPECT_TRUE(answer.found);
  EXPECT_EQ(NamesOf(answer, pods), Names({"c", "b"}));
}

TEST(FindVictims, ManyEqualPodsTakeFewSteps) {
  // 128 pods of 6 % on 8 cards, 16 a card (96 %): 60 more need ten of one card to go.
  std::vector<Evictable> pods;
  for (int i = 0; i < 128; ++i) {
    pods.push_back(PodOn("p" + std::to_string(1000 + i), i / 16, 6));
  }
  VictimQuestion question = QuestionFor(60, 1, 8, pods);
  question.max_sharers = 32;
  const VictimAnswer answer = FindVictims(question, pods);
  EXPECT_FALSE(answer.cut_short);
  EXPECT_EQ(answer.victims.size(), 10u);
  EXPECT_LT(answer.steps, 1000);
}

// What the answer is ranked by: size, priorities from the highest down, broken budgets.
using Rank = std::tuple<std::size_t, std::vector<std::int64_t>, int>;

Rank RankOf(const VictimQuestion& question, const std::vector<Evictable>& pods,
            std::vector<int> victims) {
  std::vector<std::int64_t> priorities;
  std::vector<const std::vector<int>*> covered;
  for (const int victim : victims) {
    priorities.push_back(pods[static_cast<std::size_t>(victim)].priority);
    covered.push_back(&pods[static_cast<std::size_t>(victim)].budgets);
  }
  std::sort(priorities.rbegin(), priorities.rend());
  return {victims.size(), priorities, BudgetsBroken(covered, question.allowed)};
}

// Every subset, by its bits.
std::optional<Rank> BruteForce(const VictimQuestion& question, const std::vector<Evictable>& pods) {
  std::optional<Rank> best;
  for (unsigned set = 0; set < (1u << pods.size()); ++set) {
    std::vector<model::CardUse> used = question.used;
    PodSums freed;
    std::vector<int> victims;
    for (std::size_t i = 0; i < pods.size(); ++i) {
      if ((set >> i & 1u) == 0) {
        continue;
      }
      victims.push_back(static_cast<int>(i));
      freed += pods[i].sums;
      for (const auto& [card, use] : pods[i].uses) {
        model::CardUse& sum = used[static_cast<std::size_t>(card)];
        sum.core -= use.core;
        sum.mib -= use.mib;
        sum.pods -= use.pods;
      }
    }
    if (!freed.Covers(question.missing) || !question.fits(used)) {
      continue;
    }
    const Rank rank = RankOf(question, pods, victims);
    if (!best || rank < *best) {
      best = rank;
    }
  }
  return best;
}

struct Problem {
  VictimQuestion question;
  std::vector<Evictable> pods;
};

Problem RandomProblem(std::mt19937& random) {
  const auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  Problem problem;
  const int cards = pick(1, 4);
  const int count = pick(1, 10);
  for (int i = 0; i < count; ++i) {
    Evictable pod = PodOn("p" + std::to_string(i), pick(0, cards - 1), 10 * pick(1, 6), pick(0, 2));
    if (cards > 1 && pick(0, 4) == 0) {  // on two cards
      pod.uses.emplace_back((pod.uses[0].first + 1) % cards, pod.uses[0].second);
      std::sort(pod.uses.begin(), pod.uses.end(),
                [](const auto& a, const auto& b) { return a.first < b.first; });
      pod.sums[PodSums::kCore] *= 2;
    }
    pod.uses[0].second.mib = 100 * pick(1, 8);
    pod.sums[PodSums::kCpuMilli] = 100 * pick(0, 3);
    for (int budget = 0; budget < 3; ++budget) {
      if (pick(0, 3) == 0) {
        pod.budgets.push_back(budget);
        break;  // one each, so that their order cannot matter
      }
    }
    problem.pods.push_back(pod);
  }
  problem.question =
      QuestionFor(10 * pick(2, 10), pick(1, std::min(2, cards)), cards, problem.pods);
  for (int card = 0; card < cards; ++card) {
    problem.question.used[static_cast<std::size_t>(card)].core += 10 * pick(0, 3);  // of others
  }
  problem.question.allowed = {pick(-1, 2), pick(0, 2), pick(0, 1)};
  problem.question.missing[PodSums::kCpuMilli] = 100 * pick(-2, 4);
  problem.question.missing[PodSums::kCore] = 10 * pick(-5, 8);
  return problem;
}

TEST(FindVictimsProperty, AgreesWithBruteForceOnSmallNodes) {
  const unsigned seed = std::random_device()();
  std::cout << "seed " << seed << "\n";
  std::mt19937 random(seed);
  int found = 0;
  for (int round = 0; round < 3000; ++round) {
    const Problem problem = RandomProblem(random);
    const std::optional<Rank> best = BruteForce(problem.question, problem.pods);
    const VictimAnswer answer = FindVictims(problem.question, problem.pods);
    ASSERT_FALSE(answer.cut_short) << "seed " << seed << ", round " << round;
    ASSERT_EQ(answer.found, best.has_value()) << "seed " << seed << ", round " << round;
    if (best) {
      ++found;
      ASSERT_EQ(RankOf(problem.question, problem.pods, answer.victims), *best)
          << "seed " << seed << ", round " << round;
    }
  }
  EXPECT_GT(found, 500) << "the problems are too hopeless to say anything";
}

TEST(FindVictimsProperty, ThePodsOrderDecidesNothing) {
  const unsigned seed = std::random_device()();
  std::cout << "seed " << seed << "\n";
  std::mt19937 random(seed);
  for (int round = 0; round < 500; ++round) {
    const Problem problem = RandomProblem(random);
    std::vector<Evictable> mixed = problem.pods;
    std::shuffle(mixed.begin(), mixed.end(), random);
    ASSERT_EQ(NamesOf(FindVictims(problem.question, problem.pods), problem.pods),
              NamesOf(FindVictims(problem.question, mixed), mixed))
        << "seed " << seed << ", round " << round;
  }
}

TEST(FindVictimsProperty, OutOfStepsNoVictimIsNeedless) {
  const unsigned seed = std::random_device()();
  std::cout << "seed " << seed << "\n";
  std::mt19937 random(seed);
  for (int round = 0; round < 1000; ++round) {
    Problem problem = RandomProblem(random);
    const bool possible = BruteForce(problem.question, problem.pods).has_value();
    problem.question.max_steps = 0;
    const VictimAnswer answer = FindVictims(problem.question, problem.pods);
    if (answer.cut_short) {  // else a bound has settled it without a step
      ASSERT_EQ(answer.found, possible) << "seed " << seed << ", round " << round;
    }
    std::vector<Evictable> chosen;
    for (const int victim : answer.victims) {
      chosen.push_back(problem.pods[static_cast<std::size_t>(victim)]);
    }
    if (!answer.found || chosen.size() > 8) {
      continue;
    }
    // Of the chosen alone no smaller set does.
    ASSERT_EQ(std::get<0>(*BruteForce(problem.question, chosen)), chosen.size())
        << "seed " << seed << ", round " << round;
  }
}

}  // namespace
}  // namespace aliquot::extender
