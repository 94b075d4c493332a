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
topology::CardSet ChooseSingle(const NodeState& node, const model::ContainerDemand& container,
                               const PlacerOptions& options, const Policy& policy) {
  if (!container.whole) {
    return ChooseShare(node, container, options.max_sharers_per_card, policy);
  }
  const topology::CardSet idle = IdleCards(node);
  return topology::CountOf(idle) < container.cards ? 0
                                                   : policy.ChooseSet(node, idle, container.cards);
}

}  // namespace

Verdict Placer::Check(const NodeState& node, const model::PodDemand& demand, bool tolerates_cordon,
                      StepBudget& budget) const {
  Verdict verdict;
  verdict.refusal = CheckNode(node, tolerates_cordon);
  if (!verdict.fits() || demand.empty()) {
    return verdict;
  }
  if (demand.containers.size() == 1) {
    verdict.refusal = CheckSingle(node, demand.containers.front(), options_.max_sharers_per_card);
    return verdict;
  }
  return PlaceJointly(node, demand, options_, policy_, budget, nullptr);
}

Choice Placer::Choose(const NodeState& node, const model::PodDemand& demand, bool tolerates_cordon,
                      StepBudget& budget) const {
  Choice choice;
  ChooseInto(node, demand, tolerates_cordon, budget, choice);
  return choice;
}

void Placer::ChooseInto(const NodeState& node, const model::PodDemand& demand,
                        bool tolerates_cordon, StepBudget& budget, Choice& choice) const {
  choice.verdict = Verdict();
  choice.verdict.refusal = CheckNode(node, tolerates_cordon);
  if (choice.verdict.fits() && demand.containers.size() == 1) {
    const model::ContainerDemand& container = demand.containers.front();
    const topology::CardSet set = ChooseSingle(node, container, options_, policy_);
    SetSingle(choice.cards, set);
    if (set == 0) {
      choice.verdict.refusal = CheckSingle(node, container, options_.max_sharers_per_card);
    }
  } else if (choice.verdict.fits() && !demand.empty()) {
    choice.verdict = PlaceJointly(node, demand, options_, policy_, budget, &choice.cards);
  }
  if (!choice.verdict.fits() || demand.empty()) {
    choice.cards.clear();
  }
}

}  // namespace aliquot::scoring
