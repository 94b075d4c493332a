// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/demand.h"

namespace aliquot::model {

// How much of one card is taken. `pods` counts pods, not containers.
struct CardUse {
  std::int32_t core = 0;  // percent
  std::int32_t pods = 0;
  std::int64_t mib = 0;

  friend bool operator==(const CardUse& a, const CardUse& b) {
    return a.core == b.core && a.pods == b.pods && a.mib == b.mib;
  }
};

// Which cards each container of a demand was given: indices into the node's inventory, in the order
// of PodDemand::containers.
using CardsOfContainers = std::vector<std::vector<int>>;

// What a pod takes of each card over its life: a peak, not a sum. An ordinary init container runs
// alone beside the sidecars listed before it; at the end all sidecars and app containers run
// together. The result has one entry per card (`card_mib.size()` of them); entries of cards the pod
// does not touch are zero, and `pods` is 1 where it touches. A whole-card container counts 100 %
// and all of the card's memory. Source of the formula: resource.PodRequests of
// k8s.io/component-helpers, applied card by card.
std::vector<CardUse> PeakUse(const PodDemand& demand, const CardsOfContainers& cards,
                             const std::vector<std::int64_t>& card_mib);

}  // namespace aliquot::model
