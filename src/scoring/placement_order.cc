// SPDX-License-Identifier: Apache-2.0
#include "scoring/placement_order.h"

#include <algorithm>
#include <tuple>

namespace aliquot::scoring {

PlacementOrder OrderOf(const model::PodDemand& demand) {
  PlacementOrder order;
  for (std::size_t i = 0; i < demand.containers.size(); ++i) {
    order.containers.push_back(i);
    order.sidecars += demand.containers[i].kind == model::ContainerKind::kSidecar ? 1 : 0;
  }
  const auto key = [&demand](std::size_t index) {
    const model::ContainerDemand& each = demand.containers[index];
    return std::make_tuple(each.kind != model::ContainerKind::kSidecar, !each.whole,
                           -each.core * each.cards, -each.mib, index);
  };
  std::sort(order.containers.begin(), order.containers.end(),
            [&key](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return order;
}

}  // namespace aliquot::scoring
