// SPDX-License-Identifier: Apache-2.0
#pragma once

// Policy "composite", the default: whole cards by "topology", shares by "binpack" on a card that is
// shared already, so that idle cards and their links stay together.

#include "scoring/binpack.h"
#include "scoring/policy.h"
#include "scoring/topology.h"

namespace aliquot::scoring {

class Composite final : public Policy {
 public:
  std::string_view name() const override { return "composite"; }

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

 private:
  const Binpack binpack_{};  // the braces are for clang: a const member without members of its own
  const Topology topology_{};
};

}  // namespace aliquot::scoring
