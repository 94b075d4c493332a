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
Refusal CheckOneByOne(const NodeState& node, const model::PodDemand& demand, int max_sharers,
                      topology::CardSet cards) {
  Refusal first = Refusal::kNone;
  for (const model::ContainerDemand& each : demand.containers) {
    const Refusal refusal =
        each.whole ? CheckWhole(node, each, cards) : CheckShare(node, each, max_sharers, cards);
    if (!CouldFitLater(refusal)) {
      return refusal;
    }
    first = first == Refusal::kNone ? refusal : first;
  }
  return first;
}

// All that stays to the end needs this much at once: a bound that ends most hopeless searches.
Refusal CheckSums(const NodeState& node, const model::PodDemand& demand, topology::CardSet cards) {
  std::int64_t core = 0;
  std::int64_t mib = 0;
  for (const model::ContainerDemand& each : demand.containers) {
    if (each.kind != model::ContainerKind::kInit) {
      core += std::int64_t{each.core} * each.cards;
      mib += each.whole ? 0 : each.mib * each.cards;
    }
  }
  for (std::size_t i = 0; i < node.card_count; ++i) {
    if (node.cards[i].usable && topology::Holds(cards, static_cast<int>(i))) {
      core -= std::max(0, node.cards[i].core_free());
      mib -= std::max(0, node.cards[i].mib_free());
    }
  }
  return core > 0 || mib > 0 ? Refusal::kNotEnoughFree : Refusal::kNone;
}

// The node as it would be without any pod.
class EmptyNode {
 public:
  explicit EmptyNode(const NodeState& node) : state_(node) {
    for (std::size_t i = 0; i < node.card_count; ++i) {
      cards_[i] = CardState();
      cards_[i].mib_total = node.cards[i].mib_total;
      cards_[i].usable = node.cards[i].usable;
    }
    state_.cards = cards_.data();
  }
  EmptyNode(const EmptyNode&) = delete;
  EmptyNode& operator=(const EmptyNode&) = delete;

  const NodeState& state() const { return state_; }

 private:
  std::array<CardState, topology::kMaxCards> cards_;
  NodeState state_;
};

class JointFit {
 public:
  JointFit(const Ask& ask, const EligibleCards& eligible, const PlacerOptions& options,
           const Policy& policy, StepBudget& budget)
      : ask_(ask),
        demand_(ask.demand),
        eligible_(eligible),
        options_(options),
        policy_(policy),
        budget_(budget),
        order_(OrderOf(ask.demand)),
        steps_left_(std::max(0, std::min(options.steps_per_node, budget.left()))) {}

  Verdict Place(const NodeState& node, model::CardsOfContainers* cards) {
    Verdict verdict;
    verdict.refusal =
        CheckOneByOne(node, demand_, options_.max_sharers_per_card, eligible_.cards());
    if (!CouldFitLater(verdict.refusal)) {
      return verdict;
    }
    if (verdict.fits()) {
      verdict.refusal = CheckSums(node, demand_, eligible_.cards());
    }
    if (verdict.fits()) {
      verdict = Search(node, cards);
    }
    if (!verdict.fits() && !verdict.cut_short) {
      NameTheReason(node, verdict);
    }
    return verdict;
  }

 private:
  // kFound, kNone (proven) or kOutOfSteps for the layout's own company of cards.
  SearchEnd SearchSteps(PodLayout& layout) {
    const SearchResult result = SearchExact(layout, ask_, order_, policy_, steps_left_);
    steps_left_ -= result.steps;
    budget_.Take(result.steps);
    return result.end;
  }

  SearchEnd SearchOn(const NodeState& node, const EligibleCards& eligible) {
    if (CheckSums(node, demand_, eligible.cards()) != Refusal::kNone) {
      return SearchEnd::kNone;
    }
    PodLayout layout(node, demand_, options_.max_sharers_per_card, eligible);
    return SearchSteps(layout);
  }

  Verdict Search(const NodeState& node, model::CardsOfContainers* cards) {
    Verdict verdict;
    PodLayout layout(node, demand_, options_.max_sharers_per_card, eligible_);
    const SearchEnd end = SearchSteps(layout);
    if (end == SearchEnd::kFound) {
      CopyTo(layout, cards);
      return verdict;
    }
    if (end == SearchEnd::kOutOfSteps) {
      const int card = CardForAll(node, demand_, options_.max_sharers_per_card, eligible_.cards());
      if (card >= 0) {
        // What Check answers without a search must hold here too.
        FillWith(card, cards);
        return verdict;
      }
      verdict.cut_short = true;
      PodLayout again(node, demand_, options_.max_sharers_per_card, eligible_);
      if (PlaceGreedily(again, order_)) {
        CopyTo(again, cards);
        return verdict;
      }
    }
    verdict.refusal = Refusal::kNotTogether;
    if (demand_.containers.size() == 1) {
      // It fits by itself: only a wish can be in the way.
      verdict.refusal = demand_.wishes.all_nvlink ? Refusal::kNvlinkedTaken : Refusal::kNumaTaken;
    }
    return verdict;
  }

  // Never, when a search proves that the node could not hold the pod without its other pods either;
  // when that runs out of steps, not proven. Where cards must keep together and the pod would fit
  // if they need not, that is the reason.
  void NameTheReason(const NodeState& node, Verdict& verdict) {
    const EmptyNode empty(node);
    const bool binds = eligible_.binds();
    if (SearchOn(empty.state(), eligible_) == SearchEnd::kNone) {
      verdict.refusal = binds ? WishInTheWay(empty.state(), Refusal::kNotNvlinked,
                                             Refusal::kNotOneNuma, Refusal::kTooFewCards)
                              : Refusal::kTooFewCards;
    } else if (binds && FitsOneByOne(verdict.refusal)) {
      verdict.refusal =
          WishInTheWay(node, Refusal::kNvlinkedTaken, Refusal::kNumaTaken, Refusal::kNotTogether);
    }
  }

  static bool FitsOneByOne(Refusal refusal) {
    return refusal == Refusal::kNotTogether || refusal == Refusal::kNvlinkedTaken ||
           refusal == Refusal::kNumaTaken;
  }

  // `neither` when the pod does not fit in any company of cards; else `link` when it does not fit
  // with NVLink alone; else `numa`. When the steps run out, the earlier answer.
  Refusal WishInTheWay(const NodeState& node, Refusal link, Refusal numa, Refusal neither) {
    if (SearchOn(node, eligible_.Unbound()) == SearchEnd::kNone) {
      return neither;
    }
    const model::CardWishes& wishes = demand_.wishes;
    if (!wishes.one_numa || !wishes.all_nvlink) {
      return wishes.all_nvlink ? link : numa;
    }
    model::CardWishes only_link = wishes;
    only_link.one_numa = false;
    return SearchOn(node, EligibleCards(node, only_link)) == SearchEnd::kFound ? numa : link;
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

  const Ask& ask_;
  const model::PodDemand& demand_;
  const EligibleCards& eligible_;
  const PlacerOptions& options_;
  const Policy& policy_;
  StepBudget& budget_;
  const PlacementOrder order_;
  int steps_left_;
};

}  // namespace

Verdict PlaceJointly(const NodeState& node, const Ask& ask, const EligibleCards& eligible,
                     const PlacerOptions& options, const Policy& policy, StepBudget& budget,
                     model::CardsOfContainers* cards) {
  if (cards == nullptr &&
      CardForAll(node, ask.demand, options.max_sharers_per_card, eligible.cards()) >= 0) {
    return {};
  }
  return JointFit(ask, eligible, options, policy, budget).Place(node, cards);
}

}  // namespace aliquot::scoring
