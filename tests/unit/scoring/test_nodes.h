// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small nodes and demands for tests of scoring, written in few words.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "model/demand.h"
#include "model/inventory.h"
#include "scoring/node_gate.h"
#include "scoring/node_state.h"
#include "topology/node_topology.h"

namespace aliquot::scoring {

// A card of `mib` MiB of which `pods` other pods hold `core` percent and `used` MiB.
inline CardState Card(int mib, int core = 0, int used = 0, int pods = -1) {
  CardState card;
  card.mib_total = mib;
  card.core_used = static_cast<std::int16_t>(core);
  card.mib_used = used;
  card.pods = static_cast<std::int16_t>(pods >= 0 ? pods : (core > 0 || used > 0 ? 1 : 0));
  card.usable = true;
  return card;
}

inline CardState UnusableCard(int mib) {
  CardState card = Card(mib);
  card.usable = false;
  return card;
}

// Owns what a NodeState views.
class TestNode {
 public:
  // `links`: upper triangle, comma separated; "" = unknown. `numa`: one a card; {} = all 0.
  explicit TestNode(std::vector<CardState> cards, const std::string& links = "",
                    std::vector<int> numa = {})
      : cards_(std::move(cards)) {
    auto inventory = std::make_shared<model::Inventory>();
    for (std::size_t i = 0; i < cards_.size(); ++i) {
      model::Card card;
      card.uuid = "GPU-" + std::to_string(i);
      card.minor = static_cast<int>(i);
      card.mib = cards_[i].mib_total;
      card.health = cards_[i].usable ? "ok" : "xid";
      card.numa = numa.empty() ? 0 : numa[i];
      inventory->cards.push_back(card);
    }
    if (!links.empty()) {
      for (const std::string_view word : Split(links, ',')) {
        inventory->links.emplace_back(word);
      }
    }
    SetShape(*inventory);
    facts_.name = "node-a";
    facts_.topology = topology::NodeTopology::Create(*inventory).value();
    facts_.inventory = inventory;
  }

  NodeFacts& facts() { return facts_; }
  std::vector<CardState>& cards() { return cards_; }
  void set_closed(bool closed) { closed_ = closed; }
  void set_leaving() {
    auto inventory = std::make_shared<model::Inventory>(*facts_.inventory);
    inventory->leaving = true;
    facts_.inventory = inventory;
  }
  // One a card.
  void set_models(const std::vector<std::string>& models) {
    auto inventory = std::make_shared<model::Inventory>(*facts_.inventory);
    for (std::size_t i = 0; i < models.size(); ++i) {
      inventory->cards[i].model = models[i];
    }
    facts_.inventory = inventory;
  }
  void set_inventory_problem(std::string problem) {
    facts_.inventory = nullptr;
    facts_.topology = nullptr;
    facts_.inventory_problem = std::move(problem);
    cards_.clear();
  }

  NodeState state() const {
    NodeState state;
    state.facts = &facts_;
    state.cards = cards_.data();
    state.card_count = cards_.size();
    state.closed = closed_;
    state.cordoned = facts_.cordoned;
    state.gate = GateOf(facts_, cards_.data(), cards_.size());
    return state;
  }

 private:
  NodeFacts facts_;
  std::vector<CardState> cards_;
  bool closed_ = false;
};

inline model::ContainerDemand Share(int core, std::int64_t mib,
                                    model::ContainerKind kind = model::ContainerKind::kApp) {
  model::ContainerDemand demand;
  demand.kind = kind;
  demand.core = core;
  demand.mib = mib;
  return demand;
}

inline model::ContainerDemand Whole(int cards,
                                    model::ContainerKind kind = model::ContainerKind::kApp) {
  model::ContainerDemand demand;
  demand.kind = kind;
  demand.cards = cards;
  demand.core = 100;
  demand.whole = true;
  return demand;
}

inline model::PodDemand Pod(std::vector<model::ContainerDemand> containers) {
  model::PodDemand demand;
  demand.containers = std::move(containers);
  return demand;
}

inline constexpr auto kInit = model::ContainerKind::kInit;
inline constexpr auto kSidecar = model::ContainerKind::kSidecar;
inline constexpr auto kApp = model::ContainerKind::kApp;

}  // namespace aliquot::scoring
