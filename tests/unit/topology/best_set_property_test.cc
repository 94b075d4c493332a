// SPDX-License-Identifier: Apache-2.0
// BestSet and Of against plain enumeration: every ring by permutation, every set by comparison.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "tests/unit/topology/inventories.h"
#include "tests/unit/topology/real_matrices.h"
#include "topology/node_topology.h"

namespace aliquot::topology {
namespace {

// The smallest edge of the best ring, over all orders of the cards.
int RingByPermutation(const NodeTopology& node, std::vector<int> cards) {
  if (cards.size() < 2) {
    return 0;
  }
  int best = 0;
  do {
    int smallest = node.link(cards.back(), cards.front()).gbps;
    for (std::size_t i = 1; i < cards.size(); ++i) {
      smallest = std::min(smallest, node.link(cards[i - 1], cards[i]).gbps);
    }
    best = std::max(best, smallest);
    // The first card stays: a ring has no beginning.
  } while (std::next_permutation(cards.begin() + 1, cards.end()));
  return best;
}

Connectedness ByEnumeration(const NodeTopology& node, CardSet set) {
  const std::vector<int> cards = IndicesOf(set);
  Connectedness result;
  std::set<int> numa;
  for (std::size_t a = 0; a < cards.size(); ++a) {
    numa.insert(node.numa(cards[a]));
    for (std::size_t b = a + 1; b < cards.size(); ++b) {
      result.total_gbps += node.link(cards[a], cards[b]).gbps;
    }
  }
  result.ring_gbps = RingByPermutation(node, cards);
  result.numa_nodes = static_cast<int>(numa.size());
  return result;
}

void ExpectSame(const Connectedness& actual, const Connectedness& expected, CardSet set) {
  EXPECT_EQ(actual.ring_gbps, expected.ring_gbps) << "set " << set;
  EXPECT_EQ(actual.total_gbps, expected.total_gbps) << "set " << set;
  EXPECT_EQ(actual.numa_nodes, expected.numa_nodes) << "set " << set;
}

// The first set in the order of index lists that no other beats.
std::vector<int> BestByEnumeration(const std::vector<Connectedness>& of, CardSet free, int count) {
  std::vector<int> best;
  CardSet best_set = 0;
  for (CardSet set = 1; set < of.size(); ++set) {
    if ((set & ~free) != 0 || CountOf(set) != count) {
      continue;
    }
    const std::vector<int> cards = IndicesOf(set);
    const bool better = best.empty() || of[set].BetterThan(of[best_set]);
    const bool equal = !best.empty() && !better && !of[best_set].BetterThan(of[set]);
    if (better || (equal && cards < best)) {
      best = cards;
      best_set = set;
    }
  }
  return best;
}

class BestSetOnRealMachines : public ::testing::TestWithParam<std::size_t> {};

TEST_P(BestSetOnRealMachines, EqualsPlainEnumerationForEveryFreeSetAndCount) {
  const RealMatrix& matrix = RealMatrices()[GetParam()];
  const auto node = TopologyOf(matrix.links, matrix.numa);
  const CardSet all = (CardSet{1} << node->card_count()) - 1;
  std::vector<Connectedness> of(all + 1);
  for (CardSet set = 1; set <= all; ++set) {
    of[set] = ByEnumeration(*node, set);
    ExpectSame(node->Of(set), of[set], set);
  }
  for (CardSet free = 0; free <= all; ++free) {
    for (int count = 1; count <= node->card_count(); ++count) {
      ASSERT_EQ(node->BestSet(free, count), BestByEnumeration(of, free, count))
          << matrix.name << ", free " << free << ", count " << count;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Machines, BestSetOnRealMachines,
                         ::testing::Range<std::size_t>(0, RealMatrices().size()));

std::vector<std::string> RandomWords(std::mt19937& random, std::size_t pairs) {
  const char* words[] = {"NV1", "NV2", "NV4", "PIX", "PHB", "NODE", "SYS"};
  std::uniform_int_distribution<std::size_t> pick(0, std::size(words) - 1);
  std::vector<std::string> links;
  for (std::size_t i = 0; i < pairs; ++i) {
    links.emplace_back(words[pick(random)]);
  }
  return links;
}

TEST(BestSetOnRandomMachines, SmallSetsOfSixteenCardsEqualPlainEnumeration) {
  constexpr unsigned kSeed = 20240611;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  for (int round = 0; round < 3; ++round) {
    const auto node = TopologyOf(Join(RandomWords(random, 120), ","), std::vector<int>(16, 0));
    const CardSet free = random() & 0xffff;
    for (int count = 1; count <= 4; ++count) {
      CardSet best = 0;
      Connectedness best_of;
      for (CardSet set = 1; set <= 0xffff; ++set) {
        if (CountOf(set) != count || (set & ~free) != 0) {
          continue;
        }
        const Connectedness of = ByEnumeration(*node, set);
        ExpectSame(node->Of(set), of, set);
        if (best == 0 || of.BetterThan(best_of) ||
            (!best_of.BetterThan(of) && IndicesOf(set) < IndicesOf(best))) {
          best = set;
          best_of = of;
        }
      }
      EXPECT_EQ(node->BestCards(free, count), best) << "free " << free << ", count " << count;
    }
  }
}

TEST(BestSetOnRandomMachines, RenamingTheCardsChangesNoQuality) {
  constexpr unsigned kSeed = 7;
  SCOPED_TRACE("seed " + std::to_string(kSeed));
  std::mt19937 random(kSeed);
  const std::size_t cards = 8;
  for (int round = 0; round < 20; ++round) {
    const std::vector<std::string> links = RandomWords(random, cards * (cards - 1) / 2);
    std::vector<std::size_t> renamed(cards);
    std::iota(renamed.begin(), renamed.end(), 0);
    std::shuffle(renamed.begin(), renamed.end(), random);
    const auto node = TopologyOf(Join(links, ","), std::vector<int>(cards, 0));
    std::vector<std::string> permuted;
    for (std::size_t a = 0; a < cards; ++a) {
      for (std::size_t b = a + 1; b < cards; ++b) {
        permuted.push_back(
            FormatLink(node->link(static_cast<int>(renamed[a]), static_cast<int>(renamed[b]))));
      }
    }
    const auto other = TopologyOf(Join(permuted, ","), std::vector<int>(cards, 0));
    for (int count = 1; count <= 8; ++count) {
      const CardSet best = node->BestCards(0xff, count);
      ExpectSame(other->Of(other->BestCards(0xff, count)), node->Of(best), best);
    }
  }
}

}  // namespace
}  // namespace aliquot::topology
