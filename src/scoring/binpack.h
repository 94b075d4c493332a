// SPDX-License-Identifier: Apache-2.0
#pragma once

// Policy "binpack": shares go to the tightest card, pods to the fullest node, so that whole cards
// and whole nodes stay free. Ranks are in permille of a card or of a node.

#include "scoring/policy.h"

namespace aliquot::scoring {

class Binpack final : public Policy {
 public:
  std::string_view name() const override { return "binpack"; }

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
