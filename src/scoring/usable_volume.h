// SPDX-License-Identifier: Apache-2.0
#pragma once

// How much of its idle cards a node can still be expected to lend to the expected mix of pods, the
// processor that goes with it being priced. docs/reference/scoring.md, "Policy fragmentation", has
// the formulas and why. Built once for an outlook, then immutable; thread-safe; nothing allocates
// but the constructor. The method is our own: bid prices (the dual values of a knapsack, as in
// Talluri and van Ryzin, "The Theory and Practice of Revenue Management", chapter 3) over the cards
// of a node.
//
// Units: kVolumeOfCard is one whole card; 1/1000 of a core; percent of a card.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/string_map.h"
#include "scoring/outlook.h"
#include "topology/card_set.h"

namespace aliquot::scoring {

// 4,800 for each percent. Ranks are told apart by kVolumeStep, 1/60 of a card.
inline constexpr std::int64_t kVolumeOfPercent = 4800;
inline constexpr std::int64_t kVolumeOfCard = 100 * kVolumeOfPercent;
inline constexpr std::int64_t kVolumeStep = kVolumeOfCard / 60;

// What is expected of some cards, at each price of processor time.
inline constexpr std::size_t kPrices = 20;
struct VolumeRow {
  std::array<std::int32_t, kPrices> at{};

  VolumeRow& operator+=(const VolumeRow& other) {
    for (std::size_t i = 0; i < kPrices; ++i) {
      at[i] += other.at[i];
    }
    return *this;
  }
  VolumeRow& operator-=(const VolumeRow& other) {
    for (std::size_t i = 0; i < kPrices; ++i) {
      at[i] -= other.at[i];
    }
    return *this;
  }
};

// Of the cards of one model.
struct VolumeTable {
  std::array<VolumeRow, 101> of_card;                      // by what is left of a card, percent
  std::array<VolumeRow, topology::kMaxCards + 1> of_idle;  // by the number of idle cards
  // What a percent of such a card costs for being wanted by pods that can use no other, 2^-30.
  std::int64_t scarcity = 0;
};

class UsableVolume {
 public:
  // `classes`: the most frequent first.
  UsableVolume(const std::vector<PodClass>& classes, const ClusterFigures& cluster);

  // The table of a model as an inventory spells it.
  const VolumeTable& Of(std::string_view model) const;

  // The value of a node: of its cards, whose rows add up to `cards`, with that much processor left.
  std::int64_t ValueOf(const VolumeRow& cards, std::int64_t cpu_milli) const;
  // The same when nobody knows how much is left, and so none is short.
  static std::int64_t ValueOf(const VolumeRow& cards) { return cards.at[0]; }

 private:
  void BuildTables(const std::vector<PodClass>& head, const ClusterFigures& cluster);
  void SetPressure(const std::vector<PodClass>& head, const ClusterFigures& cluster);

  std::vector<VolumeTable> tables_;  // the first: for models that no pod names
  StringMap<std::size_t> table_of_model_;
  // How far processor time, rather than cards, is what the cluster runs out of, and how much of
  // what is free pods with GPUs can then count on; 2^-10.
  std::int64_t pressure_ = 0;
  std::int64_t cpu_within_reach_ = 1 << 10;
};

}  // namespace aliquot::scoring
