// SPDX-License-Identifier: Apache-2.0
#include "model/peak.h"

#include <algorithm>

namespace aliquot::model {
namespace {

struct Amount {
  std::int32_t core = 0;
  std::int64_t mib = 0;
};

Amount AmountOn(const ContainerDemand& demand, std::int64_t card_mib) {
  return {demand.core, demand.whole ? card_mib : demand.mib};
}

}  // namespace

std::vector<CardUse> PeakUse(const PodDemand& demand, const CardsOfContainers& cards,
                             const std::vector<std::int64_t>& card_mib) {
  std::vector<CardUse> peak(card_mib.size());
  std::vector<Amount> steady(
      card_mib.size());  // sidecars so far; in the end, everything that stays
  for (std::size_t i = 0; i < demand.containers.size(); ++i) {
    const ContainerDemand& container = demand.containers[i];
    for (const int card : cards[i]) {
      const auto at = static_cast<std::size_t>(card);
      const Amount amount = AmountOn(container, card_mib[at]);
      const Amount now = {steady[at].core + amount.core, steady[at].mib + amount.mib};
      if (container.kind != ContainerKind::kInit) {
        steady[at] = now;
      }
      peak[at].core = std::max(peak[at].core, now.core);
      peak[at].mib = std::max(peak[at].mib, now.mib);
      peak[at].pods = 1;
    }
  }
  return peak;
}

}  // namespace aliquot::model
