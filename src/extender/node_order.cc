// SPDX-License-Identifier: Apache-2.0
#include "extender/node_order.h"

#include <algorithm>
#include <numeric>

namespace aliquot::extender {

std::vector<std::size_t> OrderForSearch(const std::vector<std::string_view>& names,
                                        const model::PodDemand& demand) {
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), 0);
  if (demand.containers.size() > 1) {
    std::sort(order.begin(), order.end(),
              [&names](std::size_t a, std::size_t b) { return names[a] < names[b]; });
  }
  return order;
}

}  // namespace aliquot::extender
