// SPDX-License-Identifier: Apache-2.0
#include "scoring/usable_volume.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "model/card_wishes.h"
#include "scoring/fraction.h"
#include "scoring/mix_head.h"
#include "scoring/volume_table.h"

namespace aliquot::scoring {
namespace {

constexpr int kHeadPercent = 95;
// What a card that others can't do without costs at most, in percent of its volume.
constexpr std::int64_t kScarcityPercent = 12;
// The largest price of a core; with the largest node all sums stay below 2^31.
constexpr std::int64_t kHighestPrice = 32767;
constexpr std::int64_t kMostCoreParts = 65535;  // 1/64 of a core: 1,023 cores
constexpr std::int64_t kMostMemoryMib = std::int64_t{1} << 40;
constexpr std::int64_t kMostCpuOfMemory = std::int64_t{1} << 20;

bool MayRunOn(const PodClass& pods, std::string_view model) {
  return pods.models.empty() ||
         std::any_of(pods.models.begin(), pods.models.end(),
                     [model](const std::string& key) { return model::IsModel(key, model); });
}

std::int64_t VolumeOf(const PodClass& pods) { return std::int64_t{pods.cards} * pods.core; }

std::vector<PodClass> WithCards(const std::vector<PodClass>& classes) {
  std::vector<PodClass> with_cards;
  std::copy_if(classes.begin(), classes.end(), std::back_inserter(with_cards),
               [](const PodClass& each) { return each.cards > 0 && each.weight > 0; });
  return with_cards;
}

// The most frequent classes, and every one of several cards: these are few and hard to place.
std::vector<PodClass> HeadOf(const std::vector<PodClass>& mix) {
  const std::size_t head = HeadOfMix(mix, kHeadPercent);
  std::vector<PodClass> kept;
  for (std::size_t i = 0; i < mix.size(); ++i) {
    if (i < head || mix[i].cards > 1) {
      kept.push_back(mix[i]);
    }
  }
  return kept;
}

// The part of all volume asked for that only some models serve, by model: each class spreads over
// its models by the number of their cards.
std::map<std::string, Fraction> WantedOf(const std::vector<PodClass>& head,
                                         const ClusterFigures& cluster, std::int64_t cards) {
  std::map<std::string, Fraction> wanted;
  std::int64_t volume = 0;
  for (const PodClass& each : head) {
    volume += each.weight * VolumeOf(each);
  }
  for (const PodClass& each : head) {
    std::int64_t eligible = 0;
    for (const auto& [model, count] : cluster.cards_by_model) {
      eligible += MayRunOn(each, model) ? count : 0;
    }
    if (eligible == 0 || eligible == cards) {
      continue;
    }
    const Fraction part = FractionOf(each.weight * VolumeOf(each), volume);
    for (const auto& [model, count] : cluster.cards_by_model) {
      if (MayRunOn(each, model)) {
        wanted[model] += part * count / eligible;
      }
    }
  }
  return wanted;
}

// By model, what a card costs for being wanted beyond the model's part of all cards: the square of
// that ratio, at most one, of the highest cost.
std::map<std::string, std::int64_t> ScarcityOf(const std::vector<PodClass>& head,
                                               const ClusterFigures& cluster) {
  std::int64_t cards = 0;
  for (const auto& [model, count] : cluster.cards_by_model) {
    cards += count;
  }
  std::map<std::string, std::int64_t> scarcity;
  for (const auto& [model, part] : WantedOf(head, cluster, cards)) {
    const Fraction share = FractionOf(cluster.cards_by_model.at(model), cards);
    const Fraction ratio = part >= share ? kOne : FractionOf(part, share);
    scarcity[model] = Times(kVolumeOfCard * kScarcityPercent, Times(ratio, ratio)) / 100;
  }
  return scarcity;
}

}  // namespace

UsableVolume::UsableVolume(const std::vector<PodClass>& classes, const ClusterFigures& cluster) {
  const std::vector<PodClass> mix = WithCards(classes);
  SetPrices(mix);
  SetPressure(mix, cluster);
  BuildTables(HeadOf(mix), cluster);
}

// The mean volume beside a core is 100 %.
void UsableVolume::SetPrices(const std::vector<PodClass>& mix) {
  std::int64_t volume = 0;
  std::int64_t cpu_milli = 0;
  std::int64_t cpu_milli_with_memory = 0;
  std::int64_t memory_mib = 0;
  for (const PodClass& each : mix) {
    volume += each.weight * VolumeOf(each);
    cpu_milli += each.weight * each.host.cpu_milli;
    if (each.host.memory_mib > 0) {
      cpu_milli_with_memory += each.weight * each.host.cpu_milli;
      memory_mib += each.weight * each.host.memory_mib;
    }
  }
  for (std::size_t price = 0; price < kPrices; ++price) {
    const std::int64_t of_core =
        cpu_milli == 0 ? kHighestPrice : Rounded(volume * 1000 * kPricePercents[price], cpu_milli);
    price_of_core_[price] =
        price == 0 ? 0 : static_cast<std::int32_t>(std::min(kHighestPrice, of_core));
  }
  cpu_of_memory_ =
      memory_mib == 0 ? 0 : std::min(kMostCpuOfMemory, (cpu_milli_with_memory << 10) / memory_mib);
}

// rho: processor in use for each card in use, beside what the cluster has for each card. Above one,
// processor runs out before cards do: pods without GPU take it, and then pods with GPUs can count
// on only their part of what is free.
void UsableVolume::SetPressure(const std::vector<PodClass>& mix, const ClusterFigures& cluster) {
  std::int64_t cpu_milli = 0;
  std::int64_t core = 0;
  for (const PodClass& each : mix) {
    cpu_milli += each.weight * each.host.cpu_milli;
    core += each.weight * VolumeOf(each);
  }
  const bool in_use = cluster.core_used * 100 > cluster.core && cluster.cpu_milli_used > 0;
  if (!in_use || core == 0 || cluster.cpu_milli <= 0) {
    return;
  }
  // Each of these is 1/1000 of a core beside a card.
  const std::int64_t used =
      std::max<std::int64_t>(1, cluster.cpu_milli_used * 100 / cluster.core_used);
  const std::int64_t had = std::max<std::int64_t>(1, cluster.cpu_milli * 100 / cluster.core);
  const std::int64_t asked = cpu_milli * 100 / core;
  // From nothing at a rho of 0.95 to a half at 1.05.
  const std::int64_t rho_permille = used * 1000 / had;
  pressure_ = std::clamp<std::int64_t>((rho_permille - 950) * 512 / 100, 0, 512);
  within_reach_ = std::min<std::int64_t>(1 << 10, asked * (1 << 10) / used);
}

void UsableVolume::BuildTables(const std::vector<PodClass>& head, const ClusterFigures& cluster) {
  std::set<std::string> models;
  for (const auto& [model, count] : cluster.cards_by_model) {
    models.insert(model);
  }
  std::vector<bool> by_any;
  for (const PodClass& each : head) {
    models.insert(each.models.begin(), each.models.end());
    by_any.push_back(each.models.empty());
  }
  const std::map<std::string, std::int64_t> scarcity = ScarcityOf(head, cluster);
  // Models with the same pods and the same price share a table.
  std::map<std::pair<std::vector<bool>, std::int64_t>, std::size_t> known;
  tables_.push_back(BuildVolumeTable(head, by_any, price_of_core_));
  known.emplace(std::make_pair(by_any, std::int64_t{0}), 0);
  for (const std::string& model : models) {
    std::vector<bool> eligible;
    for (const PodClass& each : head) {
      eligible.push_back(MayRunOn(each, model));
    }
    const auto price = scarcity.find(model);
    const std::int64_t of_model = price == scarcity.end() ? 0 : price->second;
    const auto [table, fresh] = known.emplace(std::make_pair(eligible, of_model), tables_.size());
    if (fresh) {
      tables_.push_back(BuildVolumeTable(head, eligible, price_of_core_));
      tables_.back().scarcity = of_model;
    }
    if (table->second != 0) {
      table_of_model_.emplace(model, table->second);
    }
  }
}

const VolumeTable& UsableVolume::Of(std::string_view model) const {
  if (table_of_model_.empty()) {
    return tables_.front();
  }
  const auto found = table_of_model_.find(model);
  return tables_[found == table_of_model_.end() ? 0 : found->second];
}

// Cards and processor at the price at which both together are worth least: at a higher one the
// processor would be dearer, at a lower one the cards.
std::int64_t UsableVolume::Least(const VolumeRow& cards, std::int32_t core_parts) const {
  std::int32_t least = cards.at[0];
  for (std::size_t price = 1; price < kPrices; ++price) {
    least = std::min(least, cards.at[price] + (price_of_core_[price] * core_parts >> 6));
  }
  return least;
}

std::int64_t UsableVolume::ValueOf(const VolumeRow& cards, const model::HostAmount* left) const {
  if (left == nullptr) {
    return cards.at[0];
  }
  std::int64_t cpu_milli = std::max<std::int64_t>(0, left->cpu_milli);
  if (cpu_of_memory_ > 0) {
    // Memory that is short leaves processor without use.
    const std::int64_t mib = std::clamp<std::int64_t>(left->memory_mib, 0, kMostMemoryMib);
    cpu_milli = std::min(cpu_milli, mib * cpu_of_memory_ >> 10);
  }
  const std::int64_t core_parts = std::min(kMostCoreParts, cpu_milli * 64 / 1000);
  const std::int64_t alone = Least(cards, static_cast<std::int32_t>(core_parts));
  if (pressure_ == 0) {
    return alone;
  }
  const std::int64_t within =
      Least(cards, static_cast<std::int32_t>(core_parts * within_reach_ >> 10));
  return alone + ((within - alone) * pressure_ >> 10);
}

std::int64_t UsableVolume::RoomOf(const VolumeTable& table, int idle,
                                  const model::HostAmount* left) {
  std::int64_t worth = 0;
  for (const VolumeTable::Room& room : table.rooms) {
    if (room.cards > idle) {
      break;
    }
    std::int64_t pods = idle / room.cards;
    if (left != nullptr && room.cpu_milli > 0) {
      pods = std::min(pods, std::max<std::int64_t>(0, left->cpu_milli) / room.cpu_milli);
    }
    worth += pods * room.worth;
  }
  return worth;
}

}  // namespace aliquot::scoring
