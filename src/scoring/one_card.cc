// SPDX-License-Identifier: Apache-2.0
#include "scoring/one_card.h"

#include <algorithm>
#include <cstdint>

#include "scoring/share_fit.h"

namespace aliquot::scoring {
namespace {

// The pod as one container whose share is the pod's peak on a single card: the formula of
// model::PeakUse for one card.
model::ContainerDemand AsOneShare(const model::PodDemand& demand) {
  model::ContainerDemand peak;
  int steady_core = 0;
  std::int64_t steady_mib = 0;
  for (const model::ContainerDemand& each : demand.containers) {
    peak.core = std::max(peak.core, steady_core + each.core);
    peak.mib = std::max(peak.mib, steady_mib + each.mib);
    if (each.kind != model::ContainerKind::kInit) {
      steady_core += each.core;
      steady_mib += each.mib;
    }
  }
  return peak;
}

}  // namespace

int CardForAll(const NodeState& node, const model::PodDemand& demand, int max_sharers,
               topology::CardSet cards) {
  for (const model::ContainerDemand& each : demand.containers) {
    if (each.whole || each.cards != 1) {
      return -1;
    }
  }
  const model::ContainerDemand peak = AsOneShare(demand);
  for (std::size_t card = 0; card < node.card_count; ++card) {
    if (topology::Holds(cards, static_cast<int>(card)) &&
        ShareFits(node.cards[card], peak, max_sharers)) {
      return static_cast<int>(card);
    }
  }
  return -1;
}

}  // namespace aliquot::scoring
