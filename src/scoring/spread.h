// SPDX-License-Identifier: Apache-2.0
#pragma once

// Policy "spread": shares go to the card, pods to the node, with the most left. For services that
// want distance from each other. Ranks are in permille of a card or of a node.

#include "scoring/policy.h"

namespace aliquot::scoring {

class Spread final : public Policy {
 public:
  std::string_view name() const override { return "spread"; }

  std::int64_t RankCard(const NodeState& node, const Ask& ask, const model::ContainerDemand& share,
                        int card) const override;
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
