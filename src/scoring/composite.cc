// SPDX-License-Identifier: Apache-2.0
#include "scoring/composite.h"

#include <algorithm>
#include <cstddef>

#include "scoring/topology.h"
#include "topology/link.h"

namespace aliquot::scoring {
namespace {

// Cards: what the mix loses outweighs a card in use, that outweighs tightness (at most 2 * 10^8
// after its weight), and that the links of an idle card (below 10^5).
constexpr std::int64_t kLossWeight = 10'000'000'000;
constexpr std::int64_t kSharedCardWeight = 1'000'000'000;
constexpr std::int64_t kTightnessWeight = 100'000;

// Nodes: for a pod that needs bandwidth, cards as fast as one NVLink outweigh everything, since
// what it would lose on slower ones it loses all its life: measured on the openb traces with NVLink
// on the V100 nodes, that costs 0.01 % of the GPUs at the end. Below that, a percent of a card
// outweighs the slowest ring, in GB/s, and one GB/s outweighs a share on a card in use: at most 16
// containers on 16 cards each.
constexpr std::int64_t kFastWeight = 100'000'000'000'000;
constexpr std::int64_t kStepWeight = 1'000'000'000;
constexpr std::int64_t kRingWeight = 1'000;
constexpr std::int64_t kMostRing = 900'000;

// How many of the pod's shares are on a card that other pods use.
std::int64_t SharesOnUsedCards(const NodeState& node, const model::PodDemand& demand,
                               const model::CardsOfContainers& cards) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < cards.size(); ++i) {
    if (demand.containers[i].whole) {
      continue;
    }
    for (const int card : cards[i]) {
      count += node.cards[card].idle() ? 0 : 1;
    }
  }
  return count;
}

// 0 for a pod that needs no bandwidth.
std::int64_t RingOf(const NodeState& node, const Ask& ask, const model::CardsOfContainers& cards) {
  return model::BandwidthSensitive(ask.demand)
             ? std::min(kMostRing, SlowestRing(node, ask.demand, cards))
             : 0;
}

// As fast as one NVLink at least, whatever the links are: measured figures count where they are
// known.
std::int64_t FastBonus(std::int64_t ring_gbps) {
  return ring_gbps >= topology::kNvlinkGbps ? kFastWeight : 0;
}

}  // namespace

std::int64_t Composite::RankWith(const NodeVolume& volume, const NodeState& node, const Ask& ask,
                                 const model::ContainerDemand& share, int card) const {
  const std::int64_t rank = binpack_.RankCard(node, ask, share, card) * kTightnessWeight -
                            volume.LossOfShare(share, card).total() * kLossWeight;
  return node.cards[card].idle() ? rank - LinksToIdle(node, card) : rank + kSharedCardWeight;
}

std::int64_t Composite::RankCard(const NodeState& node, const Ask& ask,
                                 const model::ContainerDemand& share, int card) const {
  return RankWith(NodeVolume(node, ask), node, ask, share, card);
}

void Composite::RankCards(const NodeState& node, const Ask& ask,
                          const model::ContainerDemand& share, topology::CardSet candidates,
                          CardRanks& ranks) const {
  const NodeVolume volume(node, ask);
  for (; candidates != 0; candidates = topology::WithoutLowest(candidates)) {
    const int card = topology::LowestOf(candidates);
    ranks[static_cast<std::size_t>(card)] = RankWith(volume, node, ask, share, card);
  }
}

Score Composite::ExplainCard(const NodeState& node, const Ask& ask,
                             const model::ContainerDemand& share, int card) const {
  const bool idle = node.cards[card].idle();
  const Score loss = fragmentation_.ExplainCard(node, ask, share, card);
  const Score tightness = binpack_.ExplainCard(node, ask, share, card);
  Score score;
  for (const Term& term : loss.terms()) {
    score.Add(term.name, term.value * kLossWeight);
  }
  score.Add("shared_already", idle ? 0 : kSharedCardWeight);
  for (const Term& term : tightness.terms()) {
    score.Add(term.name, term.value * kTightnessWeight);
  }
  score.Add("links_to_idle_cards", idle ? -LinksToIdle(node, card) : 0);
  return score;
}

topology::CardSet Composite::ChooseSet(const NodeState& node, const Ask& ask,
                                       topology::CardSet idle, int count) const {
  return BestConnected(node, ask, idle, count);
}

std::int64_t Composite::RankNode(const NodeState& node, const Ask& ask,
                                 const model::CardsOfContainers& cards) const {
  const std::int64_t ring = RingOf(node, ask, cards);
  return FastBonus(ring) + ring * kRingWeight + SharesOnUsedCards(node, ask.demand, cards) -
         NodeVolume(node, ask).LossOf(cards).steps() * kStepWeight;
}

Score Composite::ExplainNode(const NodeState& node, const Ask& ask,
                             const model::CardsOfContainers& cards) const {
  const Score loss = fragmentation_.ExplainNode(node, ask, cards);
  const std::int64_t ring = RingOf(node, ask, cards);
  Score score;
  score.Add("fast_links", FastBonus(ring));
  for (const Term& term : loss.terms()) {
    score.Add(term.name, term.value * (kStepWeight / kVolumeStep));
  }
  score.Add("ring", ring * kRingWeight);
  score.Add("shared_already", SharesOnUsedCards(node, ask.demand, cards));
  return score;
}

}  // namespace aliquot::scoring
