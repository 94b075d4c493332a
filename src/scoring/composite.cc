// SPDX-License-Identifier: Apache-2.0
#include "scoring/composite.h"

namespace aliquot::scoring {
namespace {

// Cards: a card in use outweighs tightness (at most 2 * 10^8 after its weight), tightness the links
// of an idle card (below 10^5).
constexpr std::int64_t kSharedCardWeight = 1'000'000'000;
constexpr std::int64_t kTightnessWeight = 100'000;

// Nodes: one point of the links outweighs fullness, tightness and the bonus of 16 containers on 16
// cards each (a span below 1.1 * 10^6). The largest ring, 900 * 10^9 points, stays below 2^63.
constexpr std::int64_t kLinksWeight = 2'000'000;
// A share that opens an idle card costs a node as much as a whole card's emptiness in permille.
constexpr std::int64_t kNodeSharedCardBonus = 2'000;

std::int64_t SharedCardBonus(const NodeState& node, const model::PodDemand& demand,
                             const model::CardsOfContainers& cards) {
  std::int64_t bonus = 0;
  for (std::size_t i = 0; i < cards.size(); ++i) {
    if (demand.containers[i].whole) {
      continue;
    }
    for (const int card : cards[i]) {
      bonus += node.cards[card].idle() ? 0 : kNodeSharedCardBonus;
    }
  }
  return bonus;
}

}  // namespace

std::int64_t Composite::RankCard(const NodeState& node, const Ask& ask,
                                 const model::ContainerDemand& share, int card) const {
  const std::int64_t tightness = binpack_.RankCard(node, ask, share, card) * kTightnessWeight;
  return node.cards[card].idle() ? tightness - LinksToIdle(node, card)
                                 : tightness + kSharedCardWeight;
}

Score Composite::ExplainCard(const NodeState& node, const Ask& ask,
                             const model::ContainerDemand& share, int card) const {
  const bool idle = node.cards[card].idle();
  const Score tightness = binpack_.ExplainCard(node, ask, share, card);
  Score score;
  score.Add("shared_already", idle ? 0 : kSharedCardWeight);
  for (const Term& term : tightness.terms()) {
    score.Add(term.name, term.value * kTightnessWeight);
  }
  score.Add("links_to_idle_cards", idle ? -LinksToIdle(node, card) : 0);
  return score;
}

topology::CardSet Composite::ChooseSet(const NodeState& node, const Ask& ask,
                                       topology::CardSet idle, int count) const {
  return topology_.ChooseSet(node, ask, idle, count);
}

std::int64_t Composite::RankNode(const NodeState& node, const Ask& ask,
                                 const model::CardsOfContainers& cards) const {
  return topology_.RankNode(node, ask, cards) * kLinksWeight +
         SharedCardBonus(node, ask.demand, cards) + binpack_.RankNode(node, ask, cards);
}

Score Composite::ExplainNode(const NodeState& node, const Ask& ask,
                             const model::CardsOfContainers& cards) const {
  const Score links = topology_.ExplainNode(node, ask, cards);
  const Score fullness = binpack_.ExplainNode(node, ask, cards);
  Score score;
  for (const Term& term : links.terms()) {
    score.Add(term.name, term.value * kLinksWeight);
  }
  score.Add("shared_already", SharedCardBonus(node, ask.demand, cards));
  for (const Term& term : fullness.terms()) {
    score.Add(term.name, term.value);
  }
  return score;
}

}  // namespace aliquot::scoring
