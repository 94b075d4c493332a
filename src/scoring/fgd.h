// SPDX-License-Identifier: Apache-2.0
#pragma once

// Policy "fgd", a peer to compare with: fragmentation gradient descent of Weng et al. (USENIX ATC
// 2023) as its authors' program does it (fragment_measure.h): ranks are its integer scores, of
// equal cards the lowest is taken, and whole cards are the lowest idle ones, whatever their links.

#include "scoring/policy.h"

namespace aliquot::scoring {

class Fgd final : public Policy {
 public:
  std::string_view name() const override { return "fgd"; }

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
