// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which cards of one node may serve a pod, whatever room they have: those of the models and UUIDs
// it asks for, and which of them may serve it together. "All pairs linked by NVLink" and "all on
// one NUMA node" both hold for a set exactly when they hold for each pair of it, so one relation
// between cards stands for both. Plain value; thread-safe; allocates nothing.

#include <array>

#include "model/card_wishes.h"
#include "scoring/node_state.h"
#include "scoring/refusal.h"
#include "topology/card_set.h"

namespace aliquot::scoring {

inline constexpr topology::CardSet kEveryCard = ~topology::CardSet{0};

class EligibleCards {
 public:
  // These cards, in any company.
  explicit EligibleCards(topology::CardSet cards) : cards_(cards) {}
  // By the wishes; GPU models and UUIDs are the inventory's. A card whose NUMA node is not known is
  // on no node with another. NVLink-C2C is not NVLink, a path through an NVSwitch is. Pre: the node
  // has an inventory, or the wishes name no cards and bind none together.
  EligibleCards(const NodeState& node, const model::CardWishes& wishes);

  // Those whose model and UUID the pod takes.
  topology::CardSet cards() const { return cards_; }
  bool binds() const { return binds_; }
  // The cards that may be held beside `card`, itself included.
  topology::CardSet Beside(int card) const {
    return binds_ ? beside_[static_cast<std::size_t>(card)] : kEveryCard;
  }
  // The cards that may be held beside all of these.
  topology::CardSet BesideAll(topology::CardSet held) const;
  // May one pod hold all of these?
  bool Together(topology::CardSet held) const { return (held & ~BesideAll(held)) == 0; }

  // The same cards, in any company.
  EligibleCards Unbound() const { return EligibleCards(cards_); }
  // Every card, in any company.
  static const EligibleCards& All();

 private:
  topology::CardSet cards_ = kEveryCard;
  bool binds_ = false;
  std::array<topology::CardSet, topology::kMaxCards> beside_;  // filled only where `binds_`
};

// kNone; kNoSuchModel or kNoSuchUuid when no usable card of the node is one that the pod takes.
Refusal CheckEligible(const NodeState& node, const model::CardWishes& wishes,
                      const EligibleCards& eligible);

}  // namespace aliquot::scoring
