// SPDX-License-Identifier: Apache-2.0
#include "scoring/fragmentation.h"

#include <cstddef>

#include "scoring/node_volume.h"
#include "scoring/topology.h"

namespace aliquot::scoring {

std::int64_t Fragmentation::RankCard(const NodeState& node, const Ask& ask,
                                     const model::ContainerDemand& share, int card) const {
  return -NodeVolume(node, ask).LossOfShare(share, card).total();
}

void Fragmentation::RankCards(const NodeState& node, const Ask& ask,
                              const model::ContainerDemand& share, topology::CardSet candidates,
                              CardRanks& ranks) const {
  const NodeVolume volume(node, ask);
  for (; candidates != 0; candidates = topology::WithoutLowest(candidates)) {
    const int card = topology::LowestOf(candidates);
    ranks[static_cast<std::size_t>(card)] = -volume.LossOfShare(share, card).total();
  }
}

Score Fragmentation::ExplainCard(const NodeState& node, const Ask& ask,
                                 const model::ContainerDemand& share, int card) const {
  const VolumeLoss loss = NodeVolume(node, ask).LossOfShare(share, card);
  Score score;
  score.Add("usable_volume", -loss.usable);
  score.Add("room_for_several_cards", -loss.room);
  score.Add("scarce_model", -loss.scarcity);
  return score;
}

topology::CardSet Fragmentation::ChooseSet(const NodeState& node, const Ask& ask,
                                           topology::CardSet idle, int count) const {
  return BestConnected(node, ask, idle, count);
}

std::int64_t Fragmentation::RankNode(const NodeState& node, const Ask& ask,
                                     const model::CardsOfContainers& cards) const {
  return -NodeVolume(node, ask).LossOf(cards).steps() * kVolumeStep;
}

Score Fragmentation::ExplainNode(const NodeState& node, const Ask& ask,
                                 const model::CardsOfContainers& cards) const {
  const VolumeLoss loss = NodeVolume(node, ask).LossOf(cards);
  Score score;
  score.Add("usable_volume", -loss.usable);
  score.Add("room_for_several_cards", -loss.room);
  score.Add("scarce_model", -loss.scarcity);
  score.Add("below_one_percent", loss.total() - loss.steps() * kVolumeStep);
  return score;
}

}  // namespace aliquot::scoring
