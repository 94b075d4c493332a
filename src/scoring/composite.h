// SPDX-License-Identifier: Apache-2.0
#pragma once

// Policy "composite", the default: as "fragmentation", and what that leaves open is decided by
// links and by how full cards are, so that idle cards and their links stay together.

#include "scoring/binpack.h"
#include "scoring/fragmentation.h"
#include "scoring/node_volume.h"
#include "scoring/policy.h"

namespace aliquot::scoring {

class Composite final : public Policy {
 public:
  std::string_view name() const override { return "composite"; }

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

 private:
  std::int64_t RankWith(const NodeVolume& volume, const NodeState& node, const Ask& ask,
                        const model::ContainerDemand& share, int card) const;

  const Fragmentation fragmentation_{};  // the braces are for clang: const, without members
  const Binpack binpack_{};
};

}  // namespace aliquot::scoring
