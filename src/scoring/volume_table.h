// SPDX-License-Identifier: Apache-2.0
#pragma once

// Builds the tables of UsableVolume. Pure.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "scoring/fraction.h"
#include "scoring/usable_volume.h"

namespace aliquot::scoring {

// Prices of processor time, in half percents of a card for one core. The last price stands twice,
// so that a row is a whole number of the processor's registers.
inline constexpr std::array<int, kPrices> kHalfPercentsPerCore = {
    0, 1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 21, 24, 28, 34, 42, 52, 64, 80, 80};

// What processor time is worth at half a percent of a card for one core. Nodes larger than 1,048
// cores count as that large: every sum then stays below 2^31.
inline std::int64_t HalfPercentOfCpu(std::int64_t cpu_milli) {
  constexpr std::int64_t kMost = std::int64_t{1} << 20;
  return std::clamp<std::int64_t>(cpu_milli, 0, kMost) * (kVolumeOfPercent / 2) / 1000;
}
inline std::int64_t CostOfCpu(std::int64_t cpu_milli, std::size_t price) {
  return HalfPercentOfCpu(cpu_milli) * kHalfPercentsPerCore[price];
}

// Pods of the mix that ask for as much of the cards, whatever processor they ask for.
struct PodSize {
  int cards = 1;
  int core = 0;
  Fraction popularity = 0;  // among the pods with GPUs
  VolumeRow value;          // what such a pod brings once its processor is paid
};

// The sizes that may run on the model; `eligible`: for each class whether it may.
std::vector<PodSize> SizesOf(const std::vector<PodClass>& classes,
                             const std::vector<bool>& eligible);

VolumeTable BuildVolumeTable(const std::vector<PodSize>& sizes);

}  // namespace aliquot::scoring
