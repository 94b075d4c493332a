// SPDX-License-Identifier: Apache-2.0
#pragma once

// How much of its idle cards a node can still be expected to hand out to the pods this cluster
// gets, with the processor and memory that it has left. Formulas: docs/reference/scoring.md,
// "Usable volume"; why: docs/adr/0009-usable-volume.md. Built once for an outlook, then immutable;
// thread-safe; nothing allocates but the constructor. The method is our own: the processor is
// priced as in bid-price control of networks (Talluri and van Ryzin, "The Theory and Practice of
// Revenue Management", chapter 3), so a node's value is an upper bound at the price that makes it
// least.
//
// Units: 1/10,000 of a card; 1/1000 of a core, MiB of main memory; percent of a card.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/string_map.h"
#include "model/host.h"
#include "scoring/outlook.h"
#include "topology/card_set.h"

namespace aliquot::scoring {

inline constexpr std::int64_t kVolumeOfPercent = 100;
inline constexpr std::int64_t kVolumeOfCard = 100 * kVolumeOfPercent;
// Nodes are told apart by it: the mix is not known more exactly.
inline constexpr std::int64_t kVolumeStep = kVolumeOfPercent;

// What some cards are worth, at each price of a core.
inline constexpr std::size_t kPrices = 16;
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
  // Pods of several whole cards, and what it is worth to have room for one.
  struct Room {
    int cards = 0;
    std::int64_t cpu_milli = 0;
    std::int64_t worth = 0;
  };

  std::array<VolumeRow, 101> of_card;                      // by what is left of a card, percent
  std::array<VolumeRow, topology::kMaxCards + 1> of_idle;  // by the number of idle cards
  std::vector<Room> rooms;                                 // the fewest cards first
  std::int64_t scarcity = 0;  // of a card, for being wanted by pods that can use few models
};

class UsableVolume {
 public:
  // `classes`: the most frequent first.
  UsableVolume(const std::vector<PodClass>& classes, const ClusterFigures& cluster);

  // Whether all models have one table: then nobody needs to look up a node's.
  bool one_table() const { return table_of_model_.empty(); }
  // The table of a model as an inventory spells it.
  const VolumeTable& Of(std::string_view model) const;

  // What cards and processor of a node are worth together. `cards`: the sum of their rows;
  // `left`: nullptr when nobody knows, and then nothing is short.
  std::int64_t ValueOf(const VolumeRow& cards, const model::HostAmount* left) const;
  // What it is worth that so many idle cards stand together; of the node's processor as above.
  static std::int64_t RoomOf(const VolumeTable& table, int idle, const model::HostAmount* left);

 private:
  void BuildTables(const std::vector<PodClass>& head, const ClusterFigures& cluster);
  void SetPrices(const std::vector<PodClass>& mix);
  void SetPressure(const std::vector<PodClass>& mix, const ClusterFigures& cluster);
  std::int64_t Least(const VolumeRow& cards, std::int32_t core_parts) const;

  std::vector<VolumeTable> tables_;  // the first: for models that no pod names
  StringMap<std::size_t> table_of_model_;
  std::array<std::int32_t, kPrices> price_of_core_{};
  // Processor that the mix asks for beside a MiB of memory, 2^-10; 0 = it asks for no memory.
  std::int64_t cpu_of_memory_ = 0;
  // How far processor rather than cards is what the cluster runs out of, and what part of the free
  // processor pods with GPUs can then count on; 2^-10.
  std::int64_t pressure_ = 0;
  std::int64_t within_reach_ = 1 << 10;
};

}  // namespace aliquot::scoring
