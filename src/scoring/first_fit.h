// SPDX-License-Identifier: Apache-2.0
#pragma once

// Policy "first-fit": the lowest cards that fit, all nodes alike (the first by name wins). The
// plain rule that the others are measured against.

#include "scoring/policy.h"

namespace aliquot::scoring {

// The lowest `count` cards of `idle`. Pre: it has at least so many.
topology::CardSet LowestCards(topology::CardSet idle, int count);

class FirstFit final : public Policy {
 public:
  std::string_view name() const override { return "first-fit"; }

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
