// SPDX-License-Identifier: Apache-2.0
#include "scoring/usable_volume.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "model/card_wishes.h"
#include "scoring/mix_head.h"
#include "scoring/volume_table.h"

namespace aliquot::scoring {
namespace {

constexpr int kHeadPercent = 95;
constexpr std::size_t kMostClasses = 128;
// What wanted cards of one model cost at most, in percent of their volume.
constexpr std::int64_t kScarcityPercent = 3;
constexpr std::int64_t kThousandth = 1000;

bool MayRunOn(const PodClass& pods, std::string_view model) {
  return pods.models.empty() ||
         std::any_of(pods.models.begin(), pods.models.end(),
                     [model](const std::string& key) { return model::IsModel(key, model); });
}

std::int64_t VolumeOf(const PodClass& pods) { return std::int64_t{pods.cards} * pods.core; }

// How far the pods that can use only some models want this one, beyond its part of the cards; each
// spreads over its models by their number of cards. 2^-30.
std::map<std::string, Fraction> ScarcityOf(const std::vector<PodClass>& head,
                                           const ClusterFigures& cluster) {
  std::map<std::string, Fraction> wanted;  // part of all volume that is asked for
  std::int64_t cards = 0;
  for (const auto& [model, count] : cluster.cards_by_model) {
    cards += count;
  }
  std::int64_t volume = 0;
  for (const PodClass& each : head) {
    volume += each.weight * VolumeOf(each);
  }
  if (cards == 0 || volume == 0) {
    return wanted;
  }
  for (const PodClass& each : head) {
    std::int64_t eligible = 0;
    for (const auto& [model, count] : cluster.cards_by_model) {
      eligible += MayRunOn(each, model) ? count : 0;
    }
    if (eligible == 0 || eligible == cards) {
      continue;
    }
    // In floating point this is weight * volume / all volume * count / eligible.
    const Fraction part = FractionOf(each.weight * VolumeOf(each), volume);
    for (const auto& [model, count] : cluster.cards_by_model) {
      if (MayRunOn(each, model)) {
        wanted[model] += part * count / eligible;
      }
    }
  }
  for (auto& [model, part] : wanted) {
    const Fraction share = FractionOf(cluster.cards_by_model.at(model), cards);
    part = std::min(kOne, share == 0 ? kOne : FractionOf(part, share));
  }
  return wanted;
}

}  // namespace

UsableVolume::UsableVolume(const std::vector<PodClass>& classes, const ClusterFigures& cluster) {
  std::vector<PodClass> head(classes.begin(),
                             classes.begin() + static_cast<std::ptrdiff_t>(
                                                   HeadOfMix(classes, kHeadPercent, kMostClasses)));
  BuildTables(head, cluster);
  SetPressure(head, cluster);
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
  const std::map<std::string, Fraction> scarcity = ScarcityOf(head, cluster);
  // Models with the same pods and the same price share a table.
  std::map<std::pair<std::vector<bool>, Fraction>, std::size_t> known;
  tables_.push_back(BuildVolumeTable(SizesOf(head, by_any)));
  known.emplace(std::make_pair(by_any, Fraction{0}), 0);
  for (const std::string& model : models) {
    std::vector<bool> eligible;
    for (const PodClass& each : head) {
      eligible.push_back(MayRunOn(each, model));
    }
    const auto price = scarcity.find(model);
    const Fraction of_model = price == scarcity.end() ? 0 : price->second;
    const auto [table, fresh] = known.emplace(std::make_pair(eligible, of_model), tables_.size());
    if (fresh) {
      tables_.push_back(BuildVolumeTable(SizesOf(head, eligible)));
      tables_.back().scarcity = of_model * kScarcityPercent / 100;
    }
    if (table->second != 0) {
      table_of_model_.emplace(model, table->second);
    }
  }
}

// rho: processor in use for each card in use, beside what the cluster has for each card. Above one,
// processor runs out first, mostly to pods without GPU, and then pods with GPUs can count on only
// their part of what is free.
void UsableVolume::SetPressure(const std::vector<PodClass>& head, const ClusterFigures& cluster) {
  std::int64_t cpu = 0;
  std::int64_t core = 0;
  for (const PodClass& each : head) {
    if (each.cards > 0) {
      cpu += each.weight * each.host.cpu_milli;
      core += each.weight * VolumeOf(each);
    }
  }
  const bool in_use = cluster.core_used * 100 > cluster.core;
  if (!in_use || core == 0 || cluster.cpu_milli == 0 || cluster.cpu_milli_used <= 0) {
    return;
  }
  // Each of these is 1/1000 of a core for a card.
  const std::int64_t used_per_card = cluster.cpu_milli_used * 100 / cluster.core_used;
  const std::int64_t had_per_card =
      std::max<std::int64_t>(1, cluster.cpu_milli * 100 / cluster.core);
  const std::int64_t asked_per_card = cpu / std::max<std::int64_t>(1, core / 100);
  const std::int64_t rho = used_per_card * kThousandth / had_per_card;
  // From nothing at rho 0.95 to a half at 1.05.
  pressure_ = std::clamp<std::int64_t>((rho - 950) * 1024 / 100 / 2, 0, 512);
  cpu_within_reach_ = std::min<std::int64_t>(
      1024, asked_per_card * 1024 / std::max<std::int64_t>(1, used_per_card));
}

const VolumeTable& UsableVolume::Of(std::string_view model) const {
  if (tables_.size() == 1) {
    return tables_.front();
  }
  const auto found = table_of_model_.find(model);
  return tables_[found == table_of_model_.end() ? 0 : found->second];
}

namespace {

// The node's cards and processor at the price at which both together are worth least: at a higher
// one the processor is dearer, at a lower one the cards are.
std::int64_t LeastOverPrices(const VolumeRow& cards, std::int64_t cpu_milli) {
  const auto half_percents = static_cast<std::int32_t>(HalfPercentOfCpu(cpu_milli));
  std::int32_t least = cards.at[0];
  for (std::size_t price = 1; price < kPrices; ++price) {
    least = std::min(least, cards.at[price] + kHalfPercentsPerCore[price] * half_percents);
  }
  return least;
}

}  // namespace

std::int64_t UsableVolume::ValueOf(const VolumeRow& cards, std::int64_t cpu_milli) const {
  const std::int64_t alone = LeastOverPrices(cards, cpu_milli);
  if (pressure_ == 0) {
    return alone;
  }
  const std::int64_t within = LeastOverPrices(cards, cpu_milli * cpu_within_reach_ / 1024);
  return (alone * (1024 - pressure_) + within * pressure_) / 1024;
}

}  // namespace aliquot::scoring
