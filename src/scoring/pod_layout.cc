// SPDX-License-Identifier: Apache-2.0
#include "scoring/pod_layout.h"

#include <algorithm>

namespace aliquot::scoring {

using topology::CardSet;

PodLayout::PodLayout(const NodeState& node, const model::PodDemand& demand, int max_sharers,
                     const EligibleCards& eligible)
    : node_(node),
      demand_(demand),
      max_sharers_(max_sharers),
      eligible_(eligible),
      placed_(demand.containers.size()) {
  std::fill_n(steady_.begin(), node.card_count, Load());
  std::copy_n(node.cards, node.card_count, view_cards_.begin());
  view_ = node;
  view_.cards = view_cards_.data();
  for (const model::ContainerDemand& each : demand.containers) {
    has_init_ = has_init_ || each.kind == model::ContainerKind::kInit;
  }
}

PodLayout::Load PodLayout::AmountOn(std::size_t index, int card) const {
  const model::ContainerDemand& asked = container(index);
  return {asked.core, asked.whole ? base(card).mib_total : asked.mib};
}

PodLayout::Load PodLayout::Beside(std::size_t index, int card) const {
  if (container(index).kind != model::ContainerKind::kInit) {
    return steady_[static_cast<std::size_t>(card)];
  }
  Load sidecars;
  for (std::size_t earlier = 0; earlier < index; ++earlier) {
    if (container(earlier).kind == model::ContainerKind::kSidecar &&
        topology::Holds(placed_[earlier], card)) {
      const Load amount = AmountOn(earlier, card);
      sidecars.core += amount.core;
      sidecars.mib += amount.mib;
    }
  }
  return sidecars;
}

bool PodLayout::Fits(std::size_t index, int card) const {
  const CardState& state = base(card);
  if (!state.usable || state.pods >= max_sharers_) {
    return false;
  }
  // A whole card is one that no other pod uses, even when that pod's share is zero by now.
  if (container(index).whole && !state.idle()) {
    return false;
  }
  const Load beside = Beside(index, card);
  const Load amount = AmountOn(index, card);
  return state.core_used + beside.core + amount.core <= model::kWholeCardCore &&
         state.mib_used + beside.mib + amount.mib <= state.mib_total;
}

CardSet PodLayout::FittingCards(std::size_t index) const {
  CardSet fitting = 0;
  for (std::size_t i = 0; i < node_.card_count; ++i) {
    const int card = static_cast<int>(i);
    fitting |= Fits(index, card) ? topology::CardBit(card) : CardSet{0};
  }
  return fitting & eligible_.cards() &
         (eligible_.binds() ? eligible_.BesideAll(touched()) : kEveryCard);
}

void PodLayout::Put(std::size_t index, CardSet cards) {
  placed_[index] = cards;
  if (container(index).kind != model::ContainerKind::kInit) {
    for (CardSet left = cards; left != 0; left = topology::WithoutLowest(left)) {
      const int card = topology::LowestOf(left);
      Load& load = steady_[static_cast<std::size_t>(card)];
      const Load amount = AmountOn(index, card);
      load.core += amount.core;
      load.mib += amount.mib;
    }
  }
  RefreshView(cards);
}

void PodLayout::Remove(std::size_t index) {
  const CardSet cards = placed_[index];
  placed_[index] = 0;
  if (container(index).kind != model::ContainerKind::kInit) {
    for (CardSet left = cards; left != 0; left = topology::WithoutLowest(left)) {
      const int card = topology::LowestOf(left);
      Load& load = steady_[static_cast<std::size_t>(card)];
      const Load amount = AmountOn(index, card);
      load.core -= amount.core;
      load.mib -= amount.mib;
    }
  }
  RefreshView(cards);
}

bool PodLayout::SameClass(std::size_t index, int a, int b) const {
  const CardState& first = base(a);
  const CardState& second = base(b);
  const Load& first_load = steady_[static_cast<std::size_t>(a)];
  const Load& second_load = steady_[static_cast<std::size_t>(b)];
  if (first.core_used != second.core_used || first.mib_used != second.mib_used ||
      first.mib_total != second.mib_total || first.idle() != second.idle() ||
      first_load.core != second_load.core || first_load.mib != second_load.mib) {
    return false;
  }
  if (eligible_.binds() && !SameCompany(a, b)) {
    return false;
  }
  // Equal sums of different sidecars look different to an init container that runs between them.
  const bool sums_may_hide = has_init_ && container(index).kind == model::ContainerKind::kSidecar;
  return !sums_may_hide || (first_load.core == 0 && first_load.mib == 0);
}

// May the two stand for each other in every set of cards that must keep together? A card that the
// pod uses already adds none to the set.
bool PodLayout::SameCompany(int a, int b) const {
  const CardSet pair = topology::CardBit(a) | topology::CardBit(b);
  const CardSet used = touched() & pair;
  return (eligible_.Beside(a) & ~pair) == (eligible_.Beside(b) & ~pair) &&
         (used == 0 || used == pair);
}

Growth PodLayout::GrowthOn(std::size_t index, int card) const {
  const Load peak = PeakOn(card);
  const Load beside = Beside(index, card);
  const Load amount = AmountOn(index, card);
  return {std::max<std::int64_t>(0, beside.core + amount.core - peak.core),
          std::max<std::int64_t>(0, beside.mib + amount.mib - peak.mib)};
}

PodLayout::Load PodLayout::PeakOn(int card) const {
  Load peak = steady_[static_cast<std::size_t>(card)];
  if (!has_init_) {
    return peak;
  }
  for (std::size_t i = 0; i < placed_.size(); ++i) {
    if (container(i).kind == model::ContainerKind::kInit && topology::Holds(placed_[i], card)) {
      const Load beside = Beside(i, card);
      const Load amount = AmountOn(i, card);
      peak.core = std::max(peak.core, beside.core + amount.core);
      peak.mib = std::max(peak.mib, beside.mib + amount.mib);
    }
  }
  return peak;
}

CardSet PodLayout::touched() const {
  CardSet cards = 0;
  for (const CardSet each : placed_) {
    cards |= each;
  }
  return cards;
}

void PodLayout::RefreshView(CardSet cards) {
  const CardSet used = touched();
  for (; cards != 0; cards = topology::WithoutLowest(cards)) {
    const int card = topology::LowestOf(cards);
    const Load peak = PeakOn(card);
    CardState& state = view_cards_[static_cast<std::size_t>(card)];
    state = base(card);
    state.core_used = static_cast<std::int16_t>(state.core_used + peak.core);
    state.mib_used = static_cast<std::int32_t>(state.mib_used + peak.mib);
    state.pods = static_cast<std::int16_t>(state.pods + (topology::Holds(used, card) ? 1 : 0));
  }
}

void PodLayout::CopyTo(model::CardsOfContainers& cards) const {
  cards.resize(placed_.size());
  for (std::size_t i = 0; i < placed_.size(); ++i) {
    cards[i].clear();
    for (CardSet left = placed_[i]; left != 0; left = topology::WithoutLowest(left)) {
      cards[i].push_back(topology::LowestOf(left));
    }
  }
}

}  // namespace aliquot::scoring
