// SPDX-License-Identifier: Apache-2.0
#include "scoring/joint_fit.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "scoring/exact_search.h"
#include "scoring/greedy.h"
#include "scoring/one_card.h"
#include "scoring/placement_order.h"
#include "scoring/pod_layout.h"
#include "scoring/share_fit.h"
#include "scoring/whole_fit.h"

namespace aliquot::scoring {
namespace {

// The refusal of the first container that can never fit by itself, else of the first that does not
// fit by itself now, else kNone.
Refusal CheckOneByOne(const NodeState& node, const model::PodDemand& demand, int max_sharers) {
  Refusal first = Refusal::kNone;
  for (const model::ContainerDemand& each : demand.containers) {
    const Refusal refusal =
        each.whole ? CheckWhole(node, each) : CheckShare(node, each, max_sharers);
    if (!CouldFitLater(refusal)) {
      return refusal;
    }
    first = first == Refusal::kNone ? refusal : first;
  }
  return first;
}

// All that stays to the end needs this much at once: a bound that ends most hopeless searches.
Refusal CheckSums(const NodeState& node, const model::PodDemand& demand) {
  std::int64_t core = 0;
  std::int64_t mib = 0;
  for (const model::ContainerDemand& each : demand.containers) {
    if (each.kind != model::ContainerKind::kInit) {
      core += std::int64_t{each.core} * each.cards;
      mib += each.whole ? 0 : each.mib * each.cards;
    }
  }
  for (std::size_t i = 0; i < node.card_count; ++i) {
    if (node.cards[i].usable) {
      core -= std::max(0, node.cards[i].core_free());
      mib -= std::max(0, node.cards[i].mib_free());
    }
  }
  return core > 0 || mib > 0 ? Refusal::kNotEnoughFree : Refusal::kNone;
}

class JointFit {
 public:
  JointFit(const Ask& ask, const PlacerOptions& options, const Policy& policy, StepBudget& budget)
      : ask_(ask),
        demand_(ask.demand),
        options_(options),
        policy_(policy),
        budget_(budget),
        order_(OrderOf(ask.demand)),
        steps_left_(std::max(0, std::min(options.steps_per_node, budget.left()))) {}

  Verdict Place(const NodeState& node, model::CardsOfContainers* cards) {
    Verdict verdict;
    verdict.refusal = CheckOneByOne(node, demand_, options_.max_sharers_per_card);
    if (!CouldFitLater(verdict.refusal)) {
      return verdict;
    }
    if (verdict.fits()) {
      verdict.refusal = CheckSums(node, demand_);
    }
    if (verdict.fits()) {
      verdict = Search(node, cards);
    }
    if (!verdict.fits() && !verdict.cut_short && NeverFits(node)) {
      verdict.refusal = Refusal::kTooFewCards;
    }
    return verdict;
  }

 private:
  SearchResult SearchSteps(PodLayout& layout) {
    const SearchResult result = SearchExact(layout, ask_, order_, policy_, steps_left_);
    steps_left_ -= result.steps;
    budget_.Take(result.steps);
    return result;
  }

  Verdict Search(const NodeState& node, model::CardsOfContainers* cards) {
    Verdict verdict;
    PodLayout layout(node, demand_, options_.max_sharers_per_card);
    const SearchEnd end = SearchSteps(layout).end;
    if (end == SearchEnd::kFound) {
      CopyTo(layout, cards);
      return verdict;
    }
    if (end == SearchEnd::kOutOfSteps) {
      const int card = CardForAll(node, demand_, options_.max_sharers_per_card);
      if (card >= 0) {
        // What Check answers without a search must hold here too.
        FillWith(card, cards);
        return verdict;
      }
      verdict.cut_short = true;
      PodLayout again(node, demand_, options_.max_sharers_per_card);
      if (PlaceGreedily(again, order_)) {
        CopyTo(again, cards);
        return verdict;
      }
    }
    verdict.refusal = Refusal::kNotTogether;
    return verdict;
  }

  void FillWith(int card, model::CardsOfContainers* cards) const {
    if (cards != nullptr) {
      cards->assign(demand_.containers.size(), std::vector<int>{card});
    }
  }

  static void CopyTo(const PodLayout& layout, model::CardsOfContainers* cards) {
    if (cards != nullptr) {
      layout.CopyTo(*cards);
    }
  }

  // Proven by a search on the node without its pods; when that runs out of steps, not proven.
  bool NeverFits(const NodeState& node) {
    std::array<CardState, topology::kMaxCards> cards;
    for (std::size_t i = 0; i < node.card_count; ++i) {
      cards[i] = CardState();
      cards[i].mib_total = node.cards[i].mib_total;
      cards[i].usable = node.cards[i].usable;
    }
    NodeState empty = node;
    empty.cards = cards.data();
    if (CheckSums(empty, demand_) != Refusal::kNone) {
      return true;
    }
    PodLayout layout(empty, demand_, options_.max_sharers_per_card);
    return SearchSteps(layout).end == SearchEnd::kNone;
  }

  const Ask& ask_;
  const model::PodDemand& demand_;
  const PlacerOptions& options_;
  const Policy& policy_;
  StepBudget& budget_;
  const PlacementOrder order_;
  int steps_left_;
};

}  // namespace

Verdict PlaceJointly(const NodeState& node, const Ask& ask, const PlacerOptions& options,
                     const Policy& policy, StepBudget& budget, model::CardsOfContainers* cards) {
  if (cards == nullptr && CardForAll(node, ask.demand, options.max_sharers_per_card) >= 0) {
    return {};
  }
  return JointFit(ask, options, policy, budget).Place(node, cards);
}

}  // namespace aliquot::scoring
