// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the cards of a node are linked, and which of them belong together. Immutable and shared by
// every node of one shape; thread-safe. Units: GB/s one way, measured where the source gives a
// measured figure, else nominal (topology/link.h). Made from the graph (topology_graph.h) by
// searches that run once.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "base/string_map.h"
#include "model/inventory.h"
#include "topology/card_set.h"
#include "topology/connectedness.h"
#include "topology/description.h"
#include "topology/link.h"
#include "topology/set_chooser.h"
#include "topology/topology_graph.h"

namespace aliquot::topology {

// How the cards of one shape of node are linked.
class NodeTopology {
 public:
  // The error is one sentence that names the pair and the word that is not a link class.
  // An inventory without links is taken as NODE within a NUMA node and SYS across.
  static Result<std::shared_ptr<const NodeTopology>> Create(const model::Inventory& inventory);
  static Result<std::shared_ptr<const NodeTopology>> Create(const Description& description);

  int card_count() const { return static_cast<int>(numa_.size()); }
  const Link& link(int a, int b) const {  // pre: a != b
    return links_[static_cast<std::size_t>(a) * numa_.size() + static_cast<std::size_t>(b)];
  }
  int numa(int card) const { return numa_[static_cast<std::size_t>(card)]; }
  // Wires between two cards: 1 for a direct NVLink, 2 through an NVSwitch or a PCIe switch.
  int hops(int a, int b) const { return graph_.CardToCard(a, b).hops; }  // pre: a != b
  bool IsNvlink(int a, int b) const { return link(a, b).link_class == LinkClass::kNvlink; }
  // The path to the card's best NIC; nothing when none is known.
  std::optional<Path> NearestNic(int card) const;
  const TopologyGraph& graph() const { return graph_; }

  // Chooses sets of cards and says how good they are (set_chooser.h).
  const SetChooser& chooser() const { return *chooser_; }
  Connectedness Of(CardSet set) const { return chooser_->Of(set); }

  // Sum of the links from `card` to the others, GB/s. Pre: `card` is not in `others`.
  int LinksBetween(int card, CardSet others) const;

  // Ranks all sets of cards, once (SetChooser::Prepare).
  void Prepare() const { chooser_->Prepare(); }

 private:
  explicit NodeTopology(TopologyGraph graph) : graph_(std::move(graph)) {}

  int Gbps(int a, int b) const { return link(a, b).gbps; }
  SetShape Shape() const;

  TopologyGraph graph_;
  std::vector<int> numa_;
  std::vector<Link> links_;  // square, row by row, measured figures in place
  std::unique_ptr<const SetChooser> chooser_;
};

// One NodeTopology a shape. Thread-safe.
class Catalog {
 public:
  // Shared with every other node of the inventory's shape, and prepared: nodes arrive outside of
  // requests.
  Result<std::shared_ptr<const NodeTopology>> For(const model::Inventory& inventory);

 private:
  // nullptr when the shape is new.
  std::shared_ptr<const NodeTopology> Find(const std::string& key);
  // The topology of the shape: `created`, or what another thread kept before.
  std::shared_ptr<const NodeTopology> Keep(const std::string& key,
                                           const std::shared_ptr<const NodeTopology>& created);

  Mutex mutex_;
  StringMap<std::shared_ptr<const NodeTopology>> shapes_ GUARDED_BY(mutex_);
};

}  // namespace aliquot::topology
