// SPDX-License-Identifier: Apache-2.0
#include "scoring/exact_search.h"

#include <array>
#include <cstdint>

#include "scoring/topology.h"

namespace aliquot::scoring {
namespace {

using topology::CardSet;

// The cards on which a container fits, best first.
struct Candidates {
  std::array<std::int8_t, topology::kMaxCards> cards;
  int count = 0;
};

struct RankedCard {
  Growth growth;
  std::int64_t rank = 0;
  int card = 0;

  // Ties keep the order of the cards: candidates come in ascending order and sorting is stable.
  bool Before(const RankedCard& other) const {
    if (growth < other.growth || other.growth < growth) {
      return growth < other.growth;
    }
    return rank > other.rank;
  }
};

class Search {
 public:
  Search(PodLayout& layout, const Ask& ask, const PlacementOrder& order, const Policy& policy,
         int max_steps)
      : layout_(layout), ask_(ask), order_(order), policy_(policy), max_steps_(max_steps) {}

  SearchResult Run() {
    const bool found = PlaceFrom(0);
    SearchResult result;
    result.steps = steps_;
    result.end = found           ? SearchEnd::kFound
                 : out_of_steps_ ? SearchEnd::kOutOfSteps
                                 : SearchEnd::kNone;
    return result;
  }

 private:
  bool PlaceFrom(std::size_t position) {
    if (position == order_.sidecars && !InitContainersFit()) {
      return false;
    }
    if (position == order_.containers.size()) {
      return true;
    }
    const std::size_t container = order_.containers[position];
    Candidates candidates;
    if (layout_.container(container).whole) {
      OrderWhole(container, candidates);
    } else {
      OrderShare(container, candidates);
    }
    return PlaceSlots(position, candidates, 0, {});
  }

  // The cards of one container so far, and those that may be held beside all of them.
  struct Slots {
    CardSet chosen = 0;
    CardSet beside = kEveryCard;
  };

  // Chooses the cards of one container out of candidates[from..] beside `slots`, then goes on.
  bool PlaceSlots(std::size_t position, const Candidates& candidates, int from,
                  const Slots& slots) {
    const std::size_t container = order_.containers[position];
    const int missing = layout_.container(container).cards - topology::CountOf(slots.chosen);
    if (missing == 0) {
      layout_.Put(container, slots.chosen);
      if (PlaceFrom(position + 1)) {
        return true;
      }
      layout_.Remove(container);
      return false;
    }
    // The choice of an init container's cards constrains nothing after it: the first will do.
    // Unless all cards of the pod must keep together.
    const bool one_try = layout_.container(container).kind == model::ContainerKind::kInit &&
                         !layout_.eligible().binds();
    for (int at = from; at + missing <= candidates.count; ++at) {
      const int card = candidates.cards[static_cast<std::size_t>(at)];
      if (!topology::Holds(slots.beside, card) || AlikeBefore(container, candidates, from, at)) {
        continue;
      }
      if (steps_ >= max_steps_) {
        out_of_steps_ = true;
        return false;
      }
      ++steps_;
      const Slots next = {slots.chosen | topology::CardBit(card),
                          slots.beside & layout_.eligible().Beside(card)};
      if (EnoughLeft(candidates, at + 1, next, missing - 1) &&
          PlaceSlots(position, candidates, at + 1, next)) {
        return true;
      }
      if (one_try || out_of_steps_) {
        return false;
      }
    }
    return false;
  }

  // Are there still `missing` candidates that may join? Ends hopeless branches where cards must
  // keep together; else the loop over candidates has seen to it.
  bool EnoughLeft(const Candidates& candidates, int from, const Slots& slots, int missing) const {
    if (!layout_.eligible().binds()) {
      return true;
    }
    for (int at = from; missing > 0 && at < candidates.count; ++at) {
      missing -=
          topology::Holds(slots.beside, candidates.cards[static_cast<std::size_t>(at)]) ? 1 : 0;
    }
    return missing <= 0;
  }

  // A card like one already tried in this slot leads to the same end.
  bool AlikeBefore(std::size_t container, const Candidates& candidates, int from, int at) const {
    const int card = candidates.cards[static_cast<std::size_t>(at)];
    for (int earlier = from; earlier < at; ++earlier) {
      if (layout_.SameClass(container, candidates.cards[static_cast<std::size_t>(earlier)], card)) {
        return true;
      }
    }
    return false;
  }

  bool InitContainersFit() const {
    for (std::size_t i = 0; i < layout_.container_count(); ++i) {
      const model::ContainerDemand& each = layout_.container(i);
      if (each.kind == model::ContainerKind::kInit &&
          topology::CountOf(layout_.FittingCards(i)) < each.cards) {
        return false;
      }
    }
    return true;
  }

  void OrderShare(std::size_t container, Candidates& candidates) const {
    std::array<RankedCard, topology::kMaxCards> ranked;
    const CardSet fitting = layout_.FittingCards(container);
    CardRanks ranks;
    policy_.RankCards(layout_.view(), ask_, layout_.container(container), fitting, ranks);
    int count = 0;
    for (CardSet left = fitting; left != 0; left = topology::WithoutLowest(left)) {
      RankedCard next;
      next.card = topology::LowestOf(left);
      next.growth = layout_.GrowthOn(container, next.card);
      next.rank = ranks[static_cast<std::size_t>(next.card)];
      int at = count++;
      for (; at > 0 && next.Before(ranked[static_cast<std::size_t>(at - 1)]); --at) {
        ranked[static_cast<std::size_t>(at)] = ranked[static_cast<std::size_t>(at - 1)];
      }
      ranked[static_cast<std::size_t>(at)] = next;
    }
    for (int i = 0; i < count; ++i) {
      candidates.cards[static_cast<std::size_t>(i)] =
          static_cast<std::int8_t>(ranked[static_cast<std::size_t>(i)].card);
    }
    candidates.count = count;
  }

  // What the policy would take; where cards must keep together, the best set of those that do, and
  // 0 when there is none.
  CardSet PreferredSet(CardSet from, int count) const {
    return layout_.eligible().binds() ? BestConnected(layout_.view(), ask_, from, count)
                                      : policy_.ChooseSet(layout_.view(), ask_, from, count);
  }

  // First the pod's own cards, then what the policy would take, then the rest.
  void OrderWhole(std::size_t container, Candidates& candidates) const {
    const int asked = layout_.container(container).cards;
    const CardSet fitting = layout_.FittingCards(container);
    const CardSet own = fitting & layout_.touched();
    const CardSet others = fitting & ~own;
    const int from_own = topology::CountOf(own) < asked ? topology::CountOf(own) : asked;
    if (topology::CountOf(fitting) < asked) {
      return;
    }
    const CardSet preferred_own = from_own == 0 ? 0 : PreferredSet(own, from_own);
    const CardSet preferred = from_own == asked ? 0 : PreferredSet(others, asked - from_own);
    for (CardSet part : {preferred_own, preferred, fitting & ~preferred_own & ~preferred}) {
      for (; part != 0; part = topology::WithoutLowest(part)) {
        candidates.cards[static_cast<std::size_t>(candidates.count++)] =
            static_cast<std::int8_t>(topology::LowestOf(part));
      }
    }
  }

  PodLayout& layout_;
  const Ask& ask_;
  const PlacementOrder& order_;
  const Policy& policy_;
  const int max_steps_;
  int steps_ = 0;
  bool out_of_steps_ = false;
};

}  // namespace

SearchResult SearchExact(PodLayout& layout, const Ask& ask, const PlacementOrder& order,
                         const Policy& policy, int max_steps) {
  return Search(layout, ask, order, policy, max_steps).Run();
}

}  // namespace aliquot::scoring
