// SPDX-License-Identifier: Apache-2.0
#include "scoring/spread.h"

#include "scoring/fullness.h"
#include "scoring/topology.h"

namespace aliquot::scoring {

std::int64_t Spread::RankCard(const NodeState& node, const Ask&,
                              const model::ContainerDemand& share, int card) const {
  return LeftOnCard(node.cards[card], share).sum();
}

Score Spread::ExplainCard(const NodeState& node, const Ask&, const model::ContainerDemand& share,
                          int card) const {
  const Permille left = LeftOnCard(node.cards[card], share);
  Score score;
  score.Add("core_left", left.core);
  score.Add("memory_left", left.memory);
  return score;
}

topology::CardSet Spread::ChooseSet(const NodeState& node, const Ask& ask, topology::CardSet idle,
                                    int count) const {
  return BestConnected(node, ask, idle, count);
}

std::int64_t Spread::RankNode(const NodeState& node, const Ask&,
                              const model::CardsOfContainers&) const {
  return -UsedOfNode(node).sum();
}

Score Spread::ExplainNode(const NodeState& node, const Ask&,
                          const model::CardsOfContainers&) const {
  const Permille used = UsedOfNode(node);
  Score score;
  score.Add("node_core_used", -used.core);
  score.Add("node_memory_used", -used.memory);
  return score;
}

}  // namespace aliquot::scoring
