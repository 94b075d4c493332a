// SPDX-License-Identifier: Apache-2.0
#pragma once

// Inventories for tests of topology: identity and sizes do not matter here.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "model/inventory.h"
#include "topology/node_topology.h"

namespace aliquot::topology {

inline model::Inventory InventoryOf(std::string_view links, const std::vector<int>& numa) {
  model::Inventory inventory;
  for (const int node : numa) {
    model::Card card;
    card.uuid = "GPU-" + std::to_string(inventory.cards.size());
    card.minor = static_cast<int>(inventory.cards.size());
    card.mib = 16384;
    card.health = "ok";
    card.numa = node;
    inventory.cards.push_back(card);
  }
  if (!links.empty()) {
    for (const std::string_view word : Split(links, ',')) {
      inventory.links.emplace_back(word);
    }
  }
  model::SetShape(inventory);
  return inventory;
}

inline std::shared_ptr<const NodeTopology> TopologyOf(std::string_view links,
                                                      const std::vector<int>& numa) {
  return NodeTopology::Create(InventoryOf(links, numa)).value();
}

// What a pod gets whose speed hangs on its cards' links, as ascending indices.
inline std::vector<int> BestSet(const NodeTopology& node, CardSet free, int count) {
  return IndicesOf(node.chooser().Choose({free, count}).set);
}

}  // namespace aliquot::topology
