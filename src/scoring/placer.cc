// SPDX-License-Identifier: Apache-2.0
#include "scoring/placer.h"

#include "scoring/joint_fit.h"
#include "scoring/node_gate.h"
#include "scoring/policy_registry.h"
#include "scoring/share_fit.h"
#include "scoring/whole_fit.h"

namespace aliquot::scoring {
namespace {

// Reuses the vectors that are there: a loop over nodes allocates only for the first.
void SetSingle(model::CardsOfContainers& cards, topology::CardSet set) {
  cards.resize(1);
  cards[0].clear();
  for (; set != 0; set = topology::WithoutLowest(set)) {
    cards[0].push_back(topology::LowestOf(set));
  }
}

// One pass over the cards does, without a search.
bool IsSingle(const model::PodDemand& demand) {
  return demand.containers.size() == 1 &&
         (demand.containers.front().cards == 1 || !demand.wishes.binds_cards_together());
}

Refusal CheckSingle(const NodeState& node, const model::ContainerDemand& container, int max_sharers,
                    topology::CardSet cards) {
  return container.whole ? CheckWhole(node, container, cards)
                         : CheckShare(node, container, max_sharers, cards);
}

// 0 when it does not fit.
topology::CardSet ChooseSingle(const NodeState& node, const Ask& ask, const PlacerOptions& options,
                               const Policy& policy, topology::CardSet cards) {
  const model::ContainerDemand& container = ask.demand.containers.front();
  if (!container.whole) {
    return ChooseShare(node, ask, container, options.max_sharers_per_card, policy, cards);
  }
  const topology::CardSet idle = IdleCards(node) & cards;
  return topology::CountOf(idle) < container.cards
             ? 0
             : policy.ChooseSet(node, ask, idle, container.cards);
}

// The node as the pod must see it: without the room that is kept for others.
NodeState SeenBy(const NodeState& node, const Ask& ask) {
  NodeState seen = node;
  const CardState* cards = node.claims->For(ask.priority);
  seen.cards = cards == nullptr ? node.cards : cards;
  seen.claims = nullptr;
  return seen;
}

}  // namespace

const Policy& Placer::PolicyFor(const Ask& ask) const {
  static const Policy& binpack = *FindPolicy("binpack");
  static const Policy& spread = *FindPolicy("spread");
  static const Policy& topology = *FindPolicy("topology");
  switch (ask.demand.wishes.placement) {
    case model::Placement::kBinpack:
      return binpack;
    case model::Placement::kSpread:
      return spread;
    case model::Placement::kTopology:
      return topology;
    case model::Placement::kUnsaid:
      break;
  }
  return policy_;
}

// Of a pod that would fit but for what is kept for others, that is the reason.
void Placer::NameTheClaim(const NodeState& node, const Ask& ask, StepBudget& budget,
                          Verdict& verdict) const {
  if (!verdict.fits() && CouldFitLater(verdict.refusal) && CheckCards(node, ask, budget).fits()) {
    verdict.refusal = Refusal::kClaimed;
  }
}

Verdict Placer::Check(const NodeState& node, const Ask& ask, StepBudget& budget) const {
  if (node.claims == nullptr) {
    return CheckCards(node, ask, budget);
  }
  Verdict verdict = CheckCards(SeenBy(node, ask), ask, budget);
  NameTheClaim(node, ask, budget, verdict);
  return verdict;
}

void Placer::ChooseInto(const NodeState& node, const Ask& ask, StepBudget& budget,
                        Choice& choice) const {
  if (node.claims == nullptr) {
    return ChooseCards(node, ask, budget, choice);
  }
  ChooseCards(SeenBy(node, ask), ask, budget, choice);
  NameTheClaim(node, ask, budget, choice.verdict);
}

Verdict Placer::CheckCards(const NodeState& node, const Ask& ask, StepBudget& budget) const {
  Verdict verdict;
  verdict.refusal = CheckNode(node, ask.tolerates_cordon);
  if (!verdict.fits() || ask.demand.empty()) {
    return verdict;
  }
  const EligibleCards eligible(node, ask.demand.wishes);
  verdict.refusal = CheckEligible(node, ask.demand.wishes, eligible);
  if (!verdict.fits()) {
    return verdict;
  }
  if (IsSingle(ask.demand)) {
    verdict.refusal = CheckSingle(node, ask.demand.containers.front(),
                                  options_.max_sharers_per_card, eligible.cards());
    return verdict;
  }
  return PlaceJointly(node, ask, eligible, options_, PolicyFor(ask), budget, nullptr);
}

Choice Placer::Choose(const NodeState& node, const Ask& ask, StepBudget& budget) const {
  Choice choice;
  ChooseInto(node, ask, budget, choice);
  return choice;
}

void Placer::ChooseCards(const NodeState& node, const Ask& ask, StepBudget& budget,
                         Choice& choice) const {
  choice.verdict = Verdict();
  choice.verdict.refusal = CheckNode(node, ask.tolerates_cordon);
  if (choice.verdict.fits() && !ask.demand.empty()) {
    const EligibleCards eligible(node, ask.demand.wishes);
    choice.verdict.refusal = CheckEligible(node, ask.demand.wishes, eligible);
    if (choice.verdict.fits()) {
      ChooseEligible(node, ask, eligible, budget, choice);
    }
  }
  if (!choice.verdict.fits() || ask.demand.empty()) {
    choice.cards.clear();
  }
}

void Placer::ChooseEligible(const NodeState& node, const Ask& ask, const EligibleCards& eligible,
                            StepBudget& budget, Choice& choice) const {
  const Policy& policy = PolicyFor(ask);
  if (!IsSingle(ask.demand)) {
    choice.verdict = PlaceJointly(node, ask, eligible, options_, policy, budget, &choice.cards);
    return;
  }
  const topology::CardSet set = ChooseSingle(node, ask, options_, policy, eligible.cards());
  SetSingle(choice.cards, set);
  if (set == 0) {
    choice.verdict.refusal = CheckSingle(node, ask.demand.containers.front(),
                                         options_.max_sharers_per_card, eligible.cards());
  }
}

}  // namespace aliquot::scoring
