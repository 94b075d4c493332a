// SPDX-License-Identifier: Apache-2.0
#include "scoring/topology.h"

#include <algorithm>

#include "scoring/first_fit.h"
#include "scoring/whole_fit.h"

namespace aliquot::scoring {
namespace {

using topology::CardSet;
using topology::Connectedness;

// The objective is lexicographic: one GB/s of the ring outweighs any sum over pairs (below 10^7 for
// 64 cards), and one GB/s of that any number of NUMA nodes (below 10^2).
constexpr std::int64_t kRingWeight = 1'000'000'000;
constexpr std::int64_t kPairsWeight = 100;

// A share on an idle card breaks sets of idle cards; this outweighs any sum of links (below 10^6).
constexpr std::int64_t kSharedCardBonus = 1'000'000;

// Over the pod's whole-card containers: the slowest ring among those with more than one card (a pod
// is as fast as its slowest part), and the sums of the rest.
struct SetTotals {
  std::int64_t ring_gbps = 0;
  std::int64_t total_gbps = 0;
  std::int64_t numa_nodes = 0;
};

SetTotals TotalsOf(const NodeState& node, const model::PodDemand& demand,
                   const model::CardsOfContainers& cards) {
  SetTotals totals;
  if (node.facts->topology == nullptr) {
    return totals;
  }
  for (std::size_t i = 0; i < cards.size(); ++i) {
    if (!demand.containers[i].whole) {
      continue;
    }
    CardSet set = 0;
    for (const int card : cards[i]) {
      set |= topology::CardBit(card);
    }
    const Connectedness of_set = node.facts->topology->Of(set);
    if (cards[i].size() > 1) {
      const std::int64_t ring = of_set.ring_gbps;
      totals.ring_gbps = totals.ring_gbps == 0 ? ring : std::min(totals.ring_gbps, ring);
    }
    totals.total_gbps += of_set.total_gbps;
    totals.numa_nodes += of_set.numa_nodes;
  }
  return totals;
}

}  // namespace

CardSet BestConnected(const NodeState& node, const Ask& ask, CardSet idle, int count) {
  if (node.facts->topology == nullptr) {
    return LowestCards(idle, count);
  }
  topology::SetRequest request;
  request.free = idle;
  request.count = count;
  request.sensitive = model::BandwidthSensitive(ask.demand);
  request.split_well = request.sensitive;
  request.all_nvlink = ask.demand.wishes.all_nvlink;
  request.one_numa = ask.demand.wishes.one_numa;
  return node.facts->topology->chooser().Choose(request).set;
}

std::int64_t LinksToIdle(const NodeState& node, int card) {
  if (node.facts->topology == nullptr) {
    return 0;
  }
  const CardSet idle = IdleCards(node) & ~topology::CardBit(card);
  return node.facts->topology->LinksBetween(card, idle);
}

std::int64_t SlowestRing(const NodeState& node, const model::PodDemand& demand,
                         const model::CardsOfContainers& cards) {
  return TotalsOf(node, demand, cards).ring_gbps;
}

std::int64_t Topology::RankCard(const NodeState& node, const Ask&, const model::ContainerDemand&,
                                int card) const {
  return node.cards[card].idle() ? -LinksToIdle(node, card) : kSharedCardBonus;
}

Score Topology::ExplainCard(const NodeState& node, const Ask&, const model::ContainerDemand&,
                            int card) const {
  Score score;
  score.Add("shared_already", node.cards[card].idle() ? 0 : kSharedCardBonus);
  score.Add("links_to_idle_cards", node.cards[card].idle() ? -LinksToIdle(node, card) : 0);
  return score;
}

CardSet Topology::ChooseSet(const NodeState& node, const Ask& ask, CardSet idle, int count) const {
  return BestConnected(node, ask, idle, count);
}

std::int64_t Topology::RankNode(const NodeState& node, const Ask& ask,
                                const model::CardsOfContainers& cards) const {
  const SetTotals totals = TotalsOf(node, ask.demand, cards);
  return totals.ring_gbps * kRingWeight + totals.total_gbps * kPairsWeight - totals.numa_nodes;
}

Score Topology::ExplainNode(const NodeState& node, const Ask& ask,
                            const model::CardsOfContainers& cards) const {
  const SetTotals totals = TotalsOf(node, ask.demand, cards);
  Score score;
  score.Add("ring", totals.ring_gbps * kRingWeight);
  score.Add("pairs", totals.total_gbps * kPairsWeight);
  score.Add("numa_nodes", -totals.numa_nodes);
  return score;
}

}  // namespace aliquot::scoring
