// SPDX-License-Identifier: Apache-2.0
#include "scoring/greedy.h"

namespace aliquot::scoring {
namespace {

using topology::CardSet;

// Adds up to `count` of the lowest cards of `from` to `taken`, each one that may join those before.
CardSet TakeLowest(const EligibleCards& eligible, CardSet from, int count, CardSet taken) {
  from &= eligible.BesideAll(taken) & ~taken;
  for (; count > 0 && from != 0; --count) {
    const int card = topology::LowestOf(from);
    taken |= topology::CardBit(card);
    from = topology::WithoutLowest(from) & eligible.Beside(card);
  }
  return taken;
}

}  // namespace

bool PlaceGreedily(PodLayout& layout, const PlacementOrder& order) {
  for (const std::size_t container : order.containers) {
    const model::ContainerDemand& asked = layout.container(container);
    const CardSet fitting = layout.FittingCards(container);
    if (topology::CountOf(fitting) < asked.cards) {
      return false;
    }
    CardSet chosen = 0;
    if (asked.kind == model::ContainerKind::kInit) {
      chosen = TakeLowest(layout.eligible(), fitting & layout.touched(), asked.cards, 0);
    }
    chosen =
        TakeLowest(layout.eligible(), fitting, asked.cards - topology::CountOf(chosen), chosen);
    if (topology::CountOf(chosen) < asked.cards) {
      return false;
    }
    layout.Put(container, chosen);
  }
  return true;
}

}  // namespace aliquot::scoring
