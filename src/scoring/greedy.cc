// SPDX-License-Identifier: Apache-2.0
#include "scoring/greedy.h"

namespace aliquot::scoring {
namespace {

using topology::CardSet;

CardSet TakeLowest(CardSet from, int count) {
  CardSet taken = 0;
  for (; count > 0 && from != 0; --count, from = topology::WithoutLowest(from)) {
    taken |= topology::CardBit(topology::LowestOf(from));
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
      chosen = TakeLowest(fitting & layout.touched(), asked.cards);
    }
    chosen |= TakeLowest(fitting & ~chosen, asked.cards - topology::CountOf(chosen));
    layout.Put(container, chosen);
  }
  return true;
}

}  // namespace aliquot::scoring
