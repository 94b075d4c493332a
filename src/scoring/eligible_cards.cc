// SPDX-License-Identifier: Apache-2.0
#include "scoring/eligible_cards.h"

#include <algorithm>
#include <string>
#include <vector>

namespace aliquot::scoring {
namespace {

using topology::CardSet;

bool HoldsModel(const std::vector<std::string>& keys, const model::Card& card) {
  return std::any_of(keys.begin(), keys.end(),
                     [&card](const std::string& key) { return model::IsModel(key, card.model); });
}

bool HoldsUuid(const std::vector<std::string>& sorted, const model::Card& card) {
  return std::binary_search(sorted.begin(), sorted.end(), card.uuid);
}

bool TakesModel(const model::CardWishes& wishes, const model::Card& card) {
  return (wishes.models.empty() || HoldsModel(wishes.models, card)) &&
         !HoldsModel(wishes.models_excluded, card);
}

bool TakesUuid(const model::CardWishes& wishes, const model::Card& card) {
  return (wishes.uuids.empty() || HoldsUuid(wishes.uuids, card)) &&
         !HoldsUuid(wishes.uuids_excluded, card);
}

template <typename Takes>
CardSet CardsWhere(const NodeState& node, Takes takes) {
  CardSet cards = 0;
  for (std::size_t i = 0; i < node.card_count; ++i) {
    if (takes(node.facts->inventory->cards[i])) {
      cards |= topology::CardBit(static_cast<int>(i));
    }
  }
  return cards;
}

bool MayPair(const topology::NodeTopology& topology, const model::CardWishes& wishes, int a,
             int b) {
  const bool on_one_node = topology.numa(a) >= 0 && topology.numa(a) == topology.numa(b);
  return (!wishes.all_nvlink || topology.IsNvlink(a, b)) && (!wishes.one_numa || on_one_node);
}

}  // namespace

EligibleCards::EligibleCards(const NodeState& node, const model::CardWishes& wishes)
    : binds_(wishes.binds_cards_together()) {
  if (wishes.names_cards()) {
    cards_ = CardsWhere(node, [&wishes](const model::Card& card) {
      return TakesModel(wishes, card) && TakesUuid(wishes, card);
    });
  }
  const int count = static_cast<int>(node.card_count);
  for (int a = 0; binds_ && a < count; ++a) {
    CardSet& beside = beside_[static_cast<std::size_t>(a)];
    beside = topology::CardBit(a);
    for (int b = 0; b < count; ++b) {
      beside |= a != b && MayPair(*node.facts->topology, wishes, a, b) ? topology::CardBit(b)
                                                                       : CardSet{0};
    }
  }
}

CardSet EligibleCards::BesideAll(CardSet held) const {
  CardSet beside = kEveryCard;
  for (; binds_ && held != 0; held = topology::WithoutLowest(held)) {
    beside &= Beside(topology::LowestOf(held));
  }
  return beside;
}

const EligibleCards& EligibleCards::All() {
  static const EligibleCards all(kEveryCard);
  return all;
}

Refusal CheckEligible(const NodeState& node, const model::CardWishes& wishes,
                      const EligibleCards& eligible) {
  if (!wishes.names_cards()) {
    return Refusal::kNone;
  }
  CardSet usable = 0;
  for (std::size_t i = 0; i < node.card_count; ++i) {
    usable |= node.cards[i].usable ? topology::CardBit(static_cast<int>(i)) : CardSet{0};
  }
  if ((usable & eligible.cards()) != 0) {
    return Refusal::kNone;
  }
  const CardSet of_model =
      CardsWhere(node, [&wishes](const model::Card& card) { return TakesModel(wishes, card); });
  return (usable & of_model) == 0 ? Refusal::kNoSuchModel : Refusal::kNoSuchUuid;
}

}  // namespace aliquot::scoring
