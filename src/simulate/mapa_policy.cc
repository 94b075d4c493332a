// SPDX-License-Identifier: Apache-2.0
#include "simulate/mapa_policy.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace aliquot::simulate {
namespace {

using topology::CardBit;
using topology::CardSet;

CardSet LowestCards(CardSet free, int count) {
  CardSet chosen = 0;
  for (; count > 0; --count, free = topology::WithoutLowest(free)) {
    chosen |= CardBit(topology::LowestOf(free));
  }
  return chosen;
}

// Calls `visit` with every subset of `free` of `count` cards, in the order of their ascending
// indices.
template <typename Visit>
void ForEachSet(CardSet free, int count, const Visit& visit) {
  const std::vector<int> cards = topology::IndicesOf(free);
  std::vector<std::size_t> places(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < places.size(); ++i) {
    places[i] = i;
  }
  for (;;) {
    CardSet set = 0;
    for (const std::size_t place : places) {
      set |= CardBit(cards[place]);
    }
    visit(set);
    std::size_t at = places.size();
    while (at > 0 && places[at - 1] == cards.size() - places.size() + at - 1) {
      --at;
    }
    if (at == 0) {
      return;
    }
    ++places[at - 1];
    for (std::size_t i = at; i < places.size(); ++i) {
      places[i] = places[i - 1] + 1;
    }
  }
}

class Baseline final : public MapaPolicy {
 public:
  CardSet Choose(CardSet free, const MapaJob& job) override { return LowestCards(free, job.gpus); }
  bool rings_by_effective_bandwidth(const MapaJob&) const override { return false; }
};

class TopoAware final : public MapaPolicy {
 public:
  explicit TopoAware(int cards) : cards_(cards) {}

  CardSet Choose(CardSet free, const MapaJob& job) override {
    const int group = cards_ == 6 ? 3 : 4;
    for (int first = 0; job.gpus < group && first < cards_; first += group) {
      const CardSet members = ((CardBit(group) - 1) << first) & free;
      if (topology::CountOf(members) >= job.gpus) {
        return LowestCards(members, job.gpus);
      }
    }
    return LowestCards(free, job.gpus);
  }
  bool rings_by_effective_bandwidth(const MapaJob&) const override { return false; }

 private:
  const int cards_;
};

// Measures each set once.
class RingCache {
 public:
  explicit RingCache(const RingModel& model) : model_(model) {}

  const RingFigures& Of(CardSet set) {
    const auto [entry, fresh] = known_.try_emplace(set);
    if (fresh) {
      entry->second = model_.Rings(set);
    }
    return entry->second;
  }
  const RingModel& model() const { return model_; }

 private:
  const RingModel& model_;
  absl::flat_hash_map<CardSet, RingFigures> known_;
};

class Greedy final : public MapaPolicy {
 public:
  explicit Greedy(const RingModel& model) : rings_(model) {}

  CardSet Choose(CardSet free, const MapaJob& job) override {
    CardSet best = 0;
    int best_aggregate = 0;
    ForEachSet(free, job.gpus, [&](CardSet set) {
      const int aggregate = rings_.Of(set).best_aggregate;
      if (best == 0 || aggregate > best_aggregate) {
        best = set;
        best_aggregate = aggregate;
      }
    });
    return best;
  }
  bool rings_by_effective_bandwidth(const MapaJob&) const override { return false; }

 private:
  RingCache rings_;
};

class Preserve final : public MapaPolicy {
 public:
  explicit Preserve(const RingModel& model) : rings_(model) {}

  CardSet Choose(CardSet free, const MapaJob& job) override {
    const bool sensitive = job.sensitive && job.counts_links();
    CardSet best = 0;
    std::pair<double, int> best_key;
    ForEachSet(free, job.gpus, [&](CardSet set) {
      const RingFigures& ring = rings_.Of(set);
      const std::pair<double, int> key =
          sensitive ? std::pair(ring.best_effective, 0)
                    : std::pair(static_cast<double>(rings_.model().NvlinkSum(free & ~set)),
                                ring.best_aggregate);
      if (best == 0 || key > best_key) {
        best = set;
        best_key = key;
      }
    });
    return best;
  }
  bool rings_by_effective_bandwidth(const MapaJob& job) const override { return job.sensitive; }

 private:
  RingCache rings_;
};

}  // namespace

std::unique_ptr<MapaPolicy> MakeMapaBaseline() { return std::make_unique<Baseline>(); }
std::unique_ptr<MapaPolicy> MakeMapaTopoAware(int cards) {
  return std::make_unique<TopoAware>(cards);
}
std::unique_ptr<MapaPolicy> MakeMapaGreedy(const RingModel& model) {
  return std::make_unique<Greedy>(model);
}
std::unique_ptr<MapaPolicy> MakeMapaPreserve(const RingModel& model) {
  return std::make_unique<Preserve>(model);
}

const std::vector<std::string_view>& MapaPolicyNames() {
  static const std::vector<std::string_view> names = {"baseline", "topoAware", "greedy",
                                                      "preserve"};
  return names;
}

std::unique_ptr<MapaPolicy> MakeMapaPolicy(std::string_view name, const RingModel& model) {
  if (name == "baseline") return MakeMapaBaseline();
  if (name == "topoAware") return MakeMapaTopoAware(model.cards());
  if (name == "greedy") return MakeMapaGreedy(model);
  if (name == "preserve") return MakeMapaPreserve(model);
  return nullptr;
}

}  // namespace aliquot::simulate
