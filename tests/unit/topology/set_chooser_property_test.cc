// SPDX-License-Identifier: Apache-2.0
// Rules that hold for every shape of node, on random ones.
#include "topology/set_chooser.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <string>
#include <thread>

#include "tests/unit/topology/set_shapes.h"

namespace aliquot::topology {
namespace {

constexpr unsigned kSeed = 20261129;

std::vector<SetRequest> RequestsOfEveryKind(CardSet free, int count) {
  std::vector<SetRequest> requests;
  for (int kind = 0; kind < 16; ++kind) {
    requests.push_back(
        {free, count, (kind & 1) == 0, (kind & 2) != 0, (kind & 4) != 0, (kind & 8) != 0});
  }
  return requests;
}

std::string Text(const SetRequest& request) {
  return "free " + std::to_string(request.free) + ", count " + std::to_string(request.count) +
         (request.sensitive ? "" : ", insensitive") + (request.all_nvlink ? ", NVLink" : "") +
         (request.one_numa ? ", one NUMA node" : "") + (request.split_well ? ", split well" : "");
}

TEST(SetChooserProperty, EveryChoiceEqualsPlainEnumeration) {
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  for (const int cards : {1, 2, 3, 5, 6, 7}) {
    const SetShape shape = RandomShape(random, cards);
    const SetChooser chooser(shape);
    PlainObjective plain(shape);
    for (CardSet free = 0; free <= shape.all(); ++free) {
      for (int count = 0; count <= cards + 1; ++count) {
        for (const SetRequest& request : RequestsOfEveryKind(free, count)) {
          ASSERT_EQ(chooser.Choose(request).set, plain.Best(request)) << Text(request);
        }
      }
    }
  }
}

TEST(SetChooserProperty, SmallSetsOfSixteenCardsEqualPlainEnumeration) {
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  const SetShape shape = RandomShape(random, 16);
  const SetChooser chooser(shape);
  PlainObjective plain(shape);
  for (int round = 0; round < 3; ++round) {
    for (int count = 1; count <= 4; ++count) {
      for (const SetRequest& request : RequestsOfEveryKind(random() & 0xffff, count)) {
        ASSERT_EQ(chooser.Choose(request).set, plain.Best(request)) << Text(request);
      }
    }
  }
}

TEST(SetChooserProperty, TheListBeginsWithTheChoiceAndIsInOrder) {
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  for (const int cards : {6, 17}) {
    const SetShape shape = RandomShape(random, cards);
    const SetChooser chooser(shape);
    PlainObjective plain(shape);
    std::size_t allowed = 0;
    for (const int count : {1, 2, 4}) {
      for (const SetRequest& request : RequestsOfEveryKind(shape.all() & ~CardSet{4}, count)) {
        const std::vector<RankedSet> ranked = chooser.Ranked(request).value();
        ASSERT_EQ(ranked.empty() ? 0 : ranked.front().set, chooser.Choose(request).set);
        for (std::size_t i = 0; i < ranked.size(); ++i) {
          ASSERT_TRUE(plain.Allows(request, ranked[i].set)) << Text(request);
          ASSERT_EQ(ranked[i].value.of.ring_gbps, plain.ConnectednessOf(ranked[i].set).ring_gbps);
          ASSERT_EQ(ranked[i].value.remaining, plain.Remaining(ranked[i].set, request.free));
          ASSERT_TRUE(i == 0 || plain.Before(ranked[i - 1].set, ranked[i].set, request))
              << Text(request) << ", place " << i;
        }
        allowed += ranked.size();
      }
    }
    EXPECT_GT(allowed, 0U);
  }
}

TEST(SetChooserProperty, RenamingTheCardsChangesNoValue) {
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  for (int round = 0; round < 20; ++round) {
    const SetShape shape = RandomShape(random, round % 4 == 0 ? 11 : 8);
    const int cards = shape.card_count();
    std::vector<int> renamed(shape.numa.size());
    std::iota(renamed.begin(), renamed.end(), 0);
    std::shuffle(renamed.begin(), renamed.end(), random);
    const auto old = [&](int card) { return renamed[static_cast<std::size_t>(card)]; };
    std::vector<int> numa;
    for (const int card : renamed) {
      numa.push_back(shape.Numa(card));
    }
    const SetShape other = ShapeBy(numa, [&](int a, int b) { return shape.Gbps(old(a), old(b)); });
    const SetChooser first(shape);
    const SetChooser second(other);
    const CardSet free = random() & shape.all();
    CardSet other_free = 0;
    for (int card = 0; card < cards; ++card) {
      other_free |= Holds(free, old(card)) ? CardBit(card) : CardSet{0};
    }
    for (int count = 1; count <= CountOf(free); ++count) {
      for (const bool sensitive : {true, false}) {
        const SetRequest request{free, count, sensitive};
        const SetRequest renamed_request{other_free, count, sensitive};
        const SetValue a = first.ValueOf(first.Choose(request).set, request);
        const SetValue b = second.ValueOf(second.Choose(renamed_request).set, renamed_request);
        const SetOrder order = first.OrderOf(request);
        EXPECT_FALSE(BetterValue(a, b, order) || BetterValue(b, a, order))
            << "round " << round << ", " << Text(request);
      }
    }
  }
}

TEST(SetChooserProperty, ABetterLinkLowersNoSet) {
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  for (int round = 0; round < 20; ++round) {
    const SetShape shape = RandomShape(random, 7);
    SetShape better = shape;
    const std::size_t a = random() % 7;
    const std::size_t b = (a + 1 + random() % 6) % 7;
    better.gbps[a * 7 + b] = better.gbps[b * 7 + a] = shape.gbps[a * 7 + b] + 10;
    const SetChooser before(shape);
    const SetChooser after(better);
    for (CardSet set = 1; set <= shape.all(); ++set) {
      EXPECT_FALSE(before.Of(set).BetterThan(after.Of(set))) << "round " << round;
    }
  }
}

TEST(SetChooserProperty, ThreadsThatAskFirstAtOnceGetTheSameAnswer) {
  const SetChooser chooser(ShapeBy(std::vector<int>(12, 0), [](int a, int b) { return a ^ b; }));
  std::vector<CardSet> chosen(4);
  std::vector<std::thread> threads;
  for (CardSet& set : chosen) {
    threads.emplace_back([&] { set = chooser.Choose({0xfff, 5}).set; });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(CountOf(chosen[0]), 5);
  EXPECT_EQ(chosen, std::vector<CardSet>(4, chosen[0]));
}

}  // namespace
}  // namespace aliquot::topology
