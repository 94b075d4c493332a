// SPDX-License-Identifier: Apache-2.0
#include "scoring/first_fit.h"

namespace aliquot::scoring {

topology::CardSet LowestCards(topology::CardSet idle, int count) {
  topology::CardSet chosen = 0;
  for (; count > 0; --count, idle = topology::WithoutLowest(idle)) {
    chosen |= topology::CardBit(topology::LowestOf(idle));
  }
  return chosen;
}

std::int64_t FirstFit::RankCard(const NodeState&, const Ask&, const model::ContainerDemand&,
                                int card) const {
  return -card;
}

Score FirstFit::ExplainCard(const NodeState&, const Ask&, const model::ContainerDemand&,
                            int card) const {
  Score score;
  score.Add("card_index", -card);
  return score;
}

topology::CardSet FirstFit::ChooseSet(const NodeState&, const Ask&, topology::CardSet idle,
                                      int count) const {
  return LowestCards(idle, count);
}

std::int64_t FirstFit::RankNode(const NodeState&, const Ask&,
                                const model::CardsOfContainers&) const {
  return 0;
}

Score FirstFit::ExplainNode(const NodeState&, const Ask&, const model::CardsOfContainers&) const {
  return {};
}

}  // namespace aliquot::scoring
