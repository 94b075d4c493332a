// SPDX-License-Identifier: Apache-2.0
#include "scoring/outlook.h"

#include <algorithm>
#include <utility>

#include "scoring/fragment_measure.h"
#include "scoring/usable_volume.h"

namespace aliquot::scoring {

const Outlook& Outlook::Unknown() {
  static const std::shared_ptr<const Outlook> unknown =
      MakeOutlook(0, DefaultMix(ClusterFigures(), 100), ClusterFigures());
  return *unknown;
}

namespace {

// Weights as parts of one total, and no amount beyond what a node may have: small enough that no
// product of the tables leaves 64 bits.
void Normalise(std::vector<PodClass>& classes) {
  constexpr std::int64_t kMostCpuMilli = std::int64_t{1} << 24;
  constexpr std::int64_t kMostMemoryMib = std::int64_t{1} << 40;
  constexpr std::int64_t kTotal = std::int64_t{1} << 20;
  std::int64_t total = 0;
  for (const PodClass& each : classes) {
    total += each.weight;
  }
  // Halving first keeps weight * kTotal below 2^63.
  int halvings = 0;
  while (total >> halvings >= std::int64_t{1} << 42) {
    ++halvings;
  }
  const std::int64_t whole = std::max<std::int64_t>(1, total >> halvings);
  for (PodClass& each : classes) {
    each.weight = std::min(kTotal, (each.weight >> halvings) * kTotal / whole);
    each.host.cpu_milli = std::clamp<std::int64_t>(each.host.cpu_milli, 0, kMostCpuMilli);
    each.host.memory_mib = std::clamp<std::int64_t>(each.host.memory_mib, 0, kMostMemoryMib);
  }
}

}  // namespace

std::vector<PodClass> DefaultMix(const ClusterFigures& cluster, std::int64_t weight) {
  const std::int64_t cards = cluster.core / 100;
  const std::int64_t per_card = cards == 0 ? 0 : cluster.cpu_milli * 7 / 10 / cards;
  const auto pods = [&](int count, int core, std::int64_t percent) {
    PodClass made;
    made.cards = count;
    made.core = core;
    made.host.cpu_milli = per_card * count * core / 100;
    made.weight = weight * percent / 100;
    return made;
  };
  return {pods(1, 100, 60), pods(1, 50, 20), pods(1, 25, 10), pods(4, 100, 5), pods(8, 100, 5)};
}

std::shared_ptr<const Outlook> MakeOutlook(std::uint64_t epoch, std::vector<PodClass> classes,
                                           const ClusterFigures& cluster) {
  std::stable_sort(classes.begin(), classes.end(),
                   [](const PodClass& a, const PodClass& b) { return a.weight > b.weight; });
  Normalise(classes);
  auto outlook = std::make_shared<Outlook>();
  outlook->epoch = epoch;
  outlook->volume = std::make_shared<const UsableVolume>(classes, cluster);
  outlook->fragments = std::make_shared<const FragmentMeasure>(classes);
  outlook->classes = std::move(classes);
  return outlook;
}

}  // namespace aliquot::scoring
