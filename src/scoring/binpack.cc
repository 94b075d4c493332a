// SPDX-License-Identifier: Apache-2.0
#include "scoring/binpack.h"

#include "scoring/fullness.h"
#include "scoring/topology.h"

namespace aliquot::scoring {
namespace {

// What the pod's shares leave on their cards, each by itself.
std::int64_t LeftByShares(const NodeState& node, const model::PodDemand& demand,
                          const model::CardsOfContainers& cards) {
  std::int64_t left = 0;
  for (std::size_t i = 0; i < cards.size(); ++i) {
    if (demand.containers[i].whole) {
      continue;
    }
    for (const int card : cards[i]) {
      left += LeftOnCard(node.cards[card], demand.containers[i]).sum();
    }
  }
  return left;
}

}  // namespace

std::int64_t Binpack::RankCard(const NodeState& node, const Ask&,
                               const model::ContainerDemand& share, int card) const {
  return -LeftOnCard(node.cards[card], share).sum();
}

Score Binpack::ExplainCard(const NodeState& node, const Ask&, const model::ContainerDemand& share,
                           int card) const {
  const Permille left = LeftOnCard(node.cards[card], share);
  Score score;
  score.Add("core_left", -left.core);
  score.Add("memory_left", -left.memory);
  return score;
}

topology::CardSet Binpack::ChooseSet(const NodeState& node, const Ask& ask, topology::CardSet idle,
                                     int count) const {
  return BestConnected(node, ask, idle, count);
}

std::int64_t Binpack::RankNode(const NodeState& node, const Ask& ask,
                               const model::CardsOfContainers& cards) const {
  return UsedOfNode(node).sum() - LeftByShares(node, ask.demand, cards);
}

Score Binpack::ExplainNode(const NodeState& node, const Ask& ask,
                           const model::CardsOfContainers& cards) const {
  const Permille used = UsedOfNode(node);
  Score score;
  score.Add("node_core_used", used.core);
  score.Add("node_memory_used", used.memory);
  score.Add("left_on_cards", -LeftByShares(node, ask.demand, cards));
  return score;
}

}  // namespace aliquot::scoring
