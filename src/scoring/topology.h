// SPDX-License-Identifier: Apache-2.0
#pragma once

// Policy "topology": whole cards are the best-connected idle set (docs/reference/scoring.md), a
// share takes the card whose loss costs idle sets least. Ranks are in GB/s, weighted term by term.

#include "scoring/policy.h"

namespace aliquot::scoring {

// The best `count` cards of `idle` for the pod, by the objective of docs/reference/scoring.md: a
// bandwidth-sensitive pod's are connected best, another's leave most. They keep what the pod
// requires of its cards' company; 0 when none do. The lowest ones when the node's links are not
// known.
topology::CardSet BestConnected(const NodeState& node, const Ask& ask, topology::CardSet idle,
                                int count);

// Sum of the links from the card to the node's other idle cards, GB/s.
std::int64_t LinksToIdle(const NodeState& node, int card);

// Of the pod's whole-card containers of several cards, the slowest ring in GB/s; 0 when it has none
// or the node's links are not known.
std::int64_t SlowestRing(const NodeState& node, const model::PodDemand& demand,
                         const model::CardsOfContainers& cards);

class Topology final : public Policy {
 public:
  std::string_view name() const override { return "topology"; }

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
