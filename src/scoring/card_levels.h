// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the cards of a node could still lend, now and once a pod is there. Pure, thread-safe; no
// allocation. Units: percent of a card.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/demand.h"
#include "model/peak.h"
#include "scoring/card_state.h"
#include "scoring/fullness.h"
#include "scoring/node_state.h"
#include "topology/card_set.h"

namespace aliquot::scoring {

// A card of which a pod takes any part is not whole any more.
inline constexpr int kMostOfUsedCard = 99;

// Of its time alone; 0 when it is not ours to share.
inline int CoreLeft(const CardState& card) {
  if (!card.usable) {
    return 0;
  }
  return card.idle() ? 100 : std::clamp(card.core_free(), 0, kMostOfUsedCard);
}

// Once the card gave this much: of its time or its memory, whichever is shorter.
inline int LevelAfter(const CardState& card, int core, std::int64_t mib) {
  const std::int64_t memory =
      PermilleOf(std::max<std::int64_t>(0, card.mib_free() - mib), card.mib_total) / 10;
  const std::int64_t left = std::min<std::int64_t>(card.core_free() - core, memory);
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, kMostOfUsedCard));
}

// Of its time or its memory, whichever is shorter; 0 when it is not ours to share.
inline int LevelOf(const CardState& card) {
  if (!card.usable) {
    return 0;
  }
  return card.idle() ? 100 : LevelAfter(card, 0, 0);
}

// Calls f(card, core, mib) for each card that the pod uses, with the peak that it adds there:
// model::PeakUse without an allocation.
template <typename F>
void ForEachAddition(const NodeState& node, const model::PodDemand& demand,
                     const model::CardsOfContainers& cards, F&& f) {
  const auto mib_of = [&](const model::ContainerDemand& container, int card) {
    return container.whole ? std::int64_t{node.cards[card].mib_total} : container.mib;
  };
  if (cards.size() == 1) {
    const model::ContainerDemand& only = demand.containers.front();
    for (const int card : cards.front()) {
      f(card, only.core, mib_of(only, card));
    }
    return;
  }
  struct Load {
    int steady_core = 0;
    int peak_core = 0;
    std::int64_t steady_mib = 0;
    std::int64_t peak_mib = 0;
  };
  std::array<Load, topology::kMaxCards> loads;
  topology::CardSet touched = 0;
  for (std::size_t i = 0; i < cards.size(); ++i) {
    const model::ContainerDemand& container = demand.containers[i];
    for (const int card : cards[i]) {
      Load& load = loads[static_cast<std::size_t>(card)];
      touched |= topology::CardBit(card);
      const int core = load.steady_core + container.core;
      const std::int64_t mib = load.steady_mib + mib_of(container, card);
      load.peak_core = std::max(load.peak_core, core);
      load.peak_mib = std::max(load.peak_mib, mib);
      if (container.kind != model::ContainerKind::kInit) {
        load.steady_core = core;
        load.steady_mib = mib;
      }
    }
  }
  for (; touched != 0; touched = topology::WithoutLowest(touched)) {
    const int card = topology::LowestOf(touched);
    const Load& load = loads[static_cast<std::size_t>(card)];
    f(card, load.peak_core, load.peak_mib);
  }
}

// Processor left once the pod is there; below 0 where the node does not say.
inline std::int64_t CpuLeftAfter(const NodeState& node, std::int64_t cpu_milli) {
  return node.host_known ? std::max<std::int64_t>(0, node.host_free.cpu_milli - cpu_milli) : -1;
}

// The model by which a policy knows the node; nodes of mixed cards go by the first.
inline std::string_view ModelOf(const NodeState& node) {
  return node.card_count == 0 ? std::string_view() : node.facts->inventory->cards.front().model;
}

}  // namespace aliquot::scoring
