// SPDX-License-Identifier: Apache-2.0
#pragma once

// Policy "fragmentation": a pod goes where the node loses least of what the expected mix of pods
// could still get of it (usable_volume.h), in whole percents of a card: the mix is not known more
// exactly. Whole cards are the best-connected idle set.

#include "scoring/policy.h"

namespace aliquot::scoring {

class Fragmentation final : public Policy {
 public:
  std::string_view name() const override { return "fragmentation"; }

  std::int64_t RankCard(const NodeState& node, const Ask& ask, const model::ContainerDemand& share,
                        int card) const override;
  void RankCards(const NodeState& node, const Ask& ask, const model::ContainerDemand& share,
                 topology::CardSet candidates, CardRanks& ranks) const override;
  Score ExplainCard(const NodeState& node, const Ask& ask, const model::ContainerDemand& share,
                    int card) const override;
  topology::CardSet ChooseSet(const NodeState& node, const Ask& ask, topology::CardSet idle,
                              int count) const override;
  std::int64_t RankNode(const NodeState& node, const Ask& ask,
                        const model::CardsOfContainers& cards) const override;
  Score ExplainNode(const NodeState& node, const Ask& ask,
                    const model::CardsOfContainers& cards) const override;
};

}  // namespace aliquot::scoring
