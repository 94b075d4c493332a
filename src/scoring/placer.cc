// SPDX-License-Identifier: Apache-2.0
#include "scoring/placer.h"

#include "scoring/joint_fit.h"
#include "scoring/node_gate.h"
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

Refusal CheckSingle(const NodeState& node, const model::ContainerDemand& container,
                    int max_sharers) {
  return container.whole ? CheckWhole(node, container) : CheckShare(node, container, max_sharers);
}

// 0 when it does not fit.
topology::CardSet ChooseSingle(const NodeState& node, const Ask& ask, const PlacerOptions& options,
                               const Policy& policy) {
  const model::ContainerDemand& container = ask.demand.containers.front();
  if (!container.whole) {
    return ChooseShare(node, ask, container, options.max_sharers_per_card, policy);
  }
  const topology::CardSet idle = IdleCards(node);
  return topology::CountOf(idle) < container.cards
             ? 0
             : policy.ChooseSet(node, ask, idle, container.cards);
}

}  // namespace

Verdict Placer::Check(const NodeState& node, const Ask& ask, StepBudget& budget) const {
  Verdict verdict;
  verdict.refusal = CheckNode(node, ask.tolerates_cordon);
  if (!verdict.fits() || ask.demand.empty()) {
    return verdict;
  }
  if (ask.demand.containers.size() == 1) {
    verdict.refusal =
        CheckSingle(node, ask.demand.containers.front(), options_.max_sharers_per_card);
    return verdict;
  }
  return PlaceJointly(node, ask, options_, policy_, budget, nullptr);
}

Choice Placer::Choose(const NodeState& node, const Ask& ask, StepBudget& budget) const {
  Choice choice;
  ChooseInto(node, ask, budget, choice);
  return choice;
}

void Placer::ChooseInto(const NodeState& node, const Ask& ask, StepBudget& budget,
                        Choice& choice) const {
  choice.verdict = Verdict();
  choice.verdict.refusal = CheckNode(node, ask.tolerates_cordon);
  if (choice.verdict.fits() && ask.demand.containers.size() == 1) {
    const model::ContainerDemand& container = ask.demand.containers.front();
    const topology::CardSet set = ChooseSingle(node, ask, options_, policy_);
    SetSingle(choice.cards, set);
    if (set == 0) {
      choice.verdict.refusal = CheckSingle(node, container, options_.max_sharers_per_card);
    }
  } else if (choice.verdict.fits() && !ask.demand.empty()) {
    choice.verdict = PlaceJointly(node, ask, options_, policy_, budget, &choice.cards);
  }
  if (!choice.verdict.fits() || ask.demand.empty()) {
    choice.cards.clear();
  }
}

}  // namespace aliquot::scoring
