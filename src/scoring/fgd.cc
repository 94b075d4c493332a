// SPDX-License-Identifier: Apache-2.0
#include "scoring/fgd.h"

#include <array>

#include "scoring/card_levels.h"
#include "scoring/first_fit.h"
#include "scoring/fragment_measure.h"

namespace aliquot::scoring {
namespace {

// The node before and after a placement.
class Placement {
 public:
  Placement(const NodeState& node, const Ask& ask) : node_(node), ask_(ask) {
    for (std::size_t i = 0; i < node.card_count; ++i) {
      left_[i] = CoreLeft(node.cards[i]);
    }
    before_ = Measure(CpuLeftAfter(node, 0));
  }

  void Take(int card, int core) {
    int& left = left_[static_cast<std::size_t>(card)];
    left = std::max(0, left - core);
  }
  int Score() const {
    return FragmentScore(Measure(CpuLeftAfter(node_, ask_.demand.host.cpu_milli)) - before_);
  }

 private:
  std::int64_t Measure(std::int64_t cpu_milli) const {
    return ask_.outlook.fragments->Of(ModelOf(node_), left_.data(), node_.card_count, cpu_milli);
  }

  const NodeState& node_;
  const Ask& ask_;
  std::array<int, topology::kMaxCards> left_;  // the first card_count are in use
  std::int64_t before_ = 0;
};

}  // namespace

std::int64_t Fgd::RankCard(const NodeState& node, const Ask& ask,
                           const model::ContainerDemand& share, int card) const {
  Placement placement(node, ask);
  placement.Take(card, share.core);
  return placement.Score();
}

Score Fgd::ExplainCard(const NodeState& node, const Ask& ask, const model::ContainerDemand& share,
                       int card) const {
  Score score;
  score.Add("fragments_kept_low", RankCard(node, ask, share, card));
  return score;
}

topology::CardSet Fgd::ChooseSet(const NodeState&, const Ask&, topology::CardSet idle,
                                 int count) const {
  return LowestCards(idle, count);
}

std::int64_t Fgd::RankNode(const NodeState& node, const Ask& ask,
                           const model::CardsOfContainers& cards) const {
  Placement placement(node, ask);
  ForEachAddition(node, ask.demand, cards,
                  [&](int card, int core, std::int64_t) { placement.Take(card, core); });
  return placement.Score();
}

Score Fgd::ExplainNode(const NodeState& node, const Ask& ask,
                       const model::CardsOfContainers& cards) const {
  Score score;
  score.Add("fragments_kept_low", RankNode(node, ask, cards));
  return score;
}

}  // namespace aliquot::scoring
