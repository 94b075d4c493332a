// SPDX-License-Identifier: Apache-2.0
#include "scoring/pod_sums.h"

namespace aliquot::scoring {
namespace {

// One resource's peak: an ordinary init container runs beside the sidecars before it, at the end
// all sidecars and app containers run together.
template <typename Amount>
std::int64_t PeakOf(const model::PodDemand& demand, Amount amount) {
  std::int64_t running = 0;
  std::int64_t peak = 0;
  for (const model::ContainerDemand& container : demand.containers) {
    const std::int64_t own = amount(container) * container.cards;
    peak = std::max(peak, running + own);
    running += container.kind == model::ContainerKind::kInit ? 0 : own;
  }
  return peak;
}

}  // namespace

PodSums SumsOf(const model::PodDemand& demand) {
  PodSums sums;
  sums[PodSums::kCore] = PeakOf(
      demand, [](const model::ContainerDemand& container) { return std::int64_t{container.core}; });
  sums[PodSums::kCardMib] = PeakOf(demand, [](const model::ContainerDemand& container) {
    return container.whole ? std::int64_t{0} : container.mib;
  });
  sums[PodSums::kCpuMilli] = demand.host.cpu_milli;
  sums[PodSums::kMemoryMib] = demand.host.memory_mib;
  return sums;
}

}  // namespace aliquot::scoring
