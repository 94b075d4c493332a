// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "model/demand.h"

namespace aliquot::scoring {

// What kube-scheduler counts for a pod on a node, resource by resource: no cards, only sums. Plain
// value. Units: percent, MiB of cards, 1/1000 of a core, MiB of main memory.
struct PodSums {
  enum Resource : std::size_t { kCore, kCardMib, kCpuMilli, kMemoryMib, kResources };
  std::array<std::int64_t, kResources> amounts{};

  std::int64_t& operator[](std::size_t resource) { return amounts[resource]; }
  std::int64_t operator[](std::size_t resource) const { return amounts[resource]; }
  PodSums& operator+=(const PodSums& other) {
    for (std::size_t i = 0; i < kResources; ++i) {
      amounts[i] += other.amounts[i];
    }
    return *this;
  }
  PodSums& operator-=(const PodSums& other) {
    for (std::size_t i = 0; i < kResources; ++i) {
      amounts[i] -= other.amounts[i];
    }
    return *this;
  }
  bool Covers(const PodSums& need) const {
    for (std::size_t i = 0; i < kResources; ++i) {
      if (amounts[i] < need.amounts[i]) {
        return false;
      }
    }
    return true;
  }
  friend bool operator==(const PodSums& a, const PodSums& b) { return a.amounts == b.amounts; }
};

// The pod's peak over its life (resource.PodRequests of k8s.io/component-helpers). Memory that was
// written beside whole cards is not known any more and counts as none.
PodSums SumsOf(const model::PodDemand& demand);

}  // namespace aliquot::scoring
