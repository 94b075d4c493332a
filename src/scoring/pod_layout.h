// SPDX-License-Identifier: Apache-2.0
#pragma once

// One pod's containers laid on the cards of one node, one by one: the shared ground of the exact
// search and of the greedy answer. Not thread-safe: one a search.

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "model/demand.h"
#include "model/peak.h"
#include "scoring/eligible_cards.h"
#include "scoring/node_state.h"
#include "topology/card_set.h"

namespace aliquot::scoring {

// What a container would add to the pod's peak on a card.
struct Growth {
  std::int64_t core = 0;
  std::int64_t mib = 0;

  friend bool operator<(const Growth& a, const Growth& b) {
    return a.core != b.core ? a.core < b.core : a.mib < b.mib;
  }
};

// Sidecars and app containers are steady: in the end they all run together, and that sum is above
// every sum on the way there. An ordinary init container runs alone beside the sidecars listed
// before it. So steady containers constrain each other, an init container is constrained by earlier
// sidecars only, and constrains nothing.
class PodLayout {
 public:
  // All must outlive it. Pre: at most topology::kMaxCards cards.
  PodLayout(const NodeState& node, const model::PodDemand& demand, int max_sharers,
            const EligibleCards& eligible = EligibleCards::All());

  // Room for the container on the card beside what is there. An init container counts the sidecars
  // before it, so these must have been put first.
  bool Fits(std::size_t container, int card) const;
  // The eligible cards on which it fits, in the company of those that the pod uses so far.
  topology::CardSet FittingCards(std::size_t container) const;
  const EligibleCards& eligible() const { return eligible_; }

  void Put(std::size_t container, topology::CardSet cards);
  void Remove(std::size_t container);

  // True when nothing that is still to come can tell the two cards apart.
  bool SameClass(std::size_t container, int a, int b) const;
  Growth GrowthOn(std::size_t container, int card) const;

  const model::ContainerDemand& container(std::size_t index) const {
    return demand_.containers[index];
  }
  std::size_t container_count() const { return demand_.containers.size(); }
  // The node with the pod's peak so far added to its cards: what a policy ranks by.
  const NodeState& view() const { return view_; }
  // Cards that the pod uses so far.
  topology::CardSet touched() const;
  // Pre: every container has been put.
  void CopyTo(model::CardsOfContainers& cards) const;

 private:
  struct Load {
    std::int64_t core = 0;
    std::int64_t mib = 0;
  };

  const CardState& base(int card) const { return node_.cards[card]; }
  Load AmountOn(std::size_t container, int card) const;
  // What runs beside the container on the card: for an init container the sidecars before it, for
  // the others all that is steady.
  Load Beside(std::size_t container, int card) const;
  Load PeakOn(int card) const;
  bool SameCompany(int a, int b) const;
  void RefreshView(topology::CardSet cards);

  const NodeState& node_;
  const model::PodDemand& demand_;
  const int max_sharers_;
  const EligibleCards& eligible_;
  bool has_init_ = false;
  absl::InlinedVector<topology::CardSet, model::kMaxGpuContainersPerPod> placed_;
  std::array<Load, topology::kMaxCards> steady_;  // the first card_count are in use
  std::array<CardState, topology::kMaxCards> view_cards_;
  NodeState view_;
};

}  // namespace aliquot::scoring
