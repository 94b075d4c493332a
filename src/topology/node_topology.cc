// SPDX-License-Identifier: Apache-2.0
#include "topology/node_topology.h"

namespace aliquot::topology {

Result<std::shared_ptr<const NodeTopology>> NodeTopology::Create(
    const model::Inventory& inventory) {
  const Result<Description> description = DescribeInventory(inventory);
  if (!description.ok()) {
    return description.status();
  }
  return Create(*description);
}

Result<std::shared_ptr<const NodeTopology>> NodeTopology::Create(const Description& description) {
  Result<TopologyGraph> graph = TopologyGraph::Create(description);
  if (!graph.ok()) {
    return graph.status();
  }
  std::shared_ptr<NodeTopology> topology(new NodeTopology(*std::move(graph)));
  const std::size_t count = description.cards.size();
  topology->links_.resize(count * count);
  for (std::size_t a = 0; a < count; ++a) {
    topology->numa_.push_back(description.cards[a].numa);
    for (std::size_t b = 0; b < count; ++b) {
      if (a == b) {
        continue;
      }
      Link& link = topology->links_[a * count + b];
      link = topology->graph_.CardToCard(static_cast<int>(a), static_cast<int>(b)).link;
      const int measured =
          description.measured_gbps.empty() ? 0 : description.measured_gbps[PairIndex(a, b, count)];
      link.gbps = measured > 0 ? measured : link.gbps;
    }
  }
  topology->chooser_ = std::make_unique<const SetChooser>(topology->Shape());
  return std::shared_ptr<const NodeTopology>(std::move(topology));
}

std::optional<Path> NodeTopology::NearestNic(int card) const {
  std::optional<Path> nearest;
  for (int nic = 0; nic < graph_.nic_count(); ++nic) {
    const std::optional<Path>& path = graph_.CardToNic(card, nic);
    if (path && (!nearest || BetterPath(*path, *nearest))) {
      nearest = path;
    }
  }
  return nearest;
}

SetShape NodeTopology::Shape() const {
  SetShape shape;
  shape.numa = numa_;
  for (int a = 0; a < card_count(); ++a) {
    CardSet nvlink = 0;
    for (int b = 0; b < card_count(); ++b) {
      shape.gbps.push_back(a == b ? 0 : Gbps(a, b));
      nvlink |= a != b && IsNvlink(a, b) ? CardBit(b) : CardSet{0};
    }
    shape.nvlink.push_back(nvlink);
  }
  return shape;
}

int NodeTopology::LinksBetween(int card, CardSet others) const {
  int sum = 0;
  for (; others != 0; others = WithoutLowest(others)) {
    sum += Gbps(card, LowestOf(others));
  }
  return sum;
}

Result<std::shared_ptr<const NodeTopology>> Catalog::For(const model::Inventory& inventory) {
  // The count of cards too: an inventory whose shape was not set must not get another's topology.
  const std::string key = std::to_string(inventory.cards.size()) + ' ' + inventory.shape;
  std::shared_ptr<const NodeTopology> topology = Find(key);
  if (topology == nullptr) {
    // Searches and tables are made without the lock: other shapes need not wait.
    const Result<std::shared_ptr<const NodeTopology>> created = NodeTopology::Create(inventory);
    if (!created.ok()) {
      return created.status();
    }
    topology = Keep(key, *created);
  }
  topology->Prepare();
  return topology;
}

std::shared_ptr<const NodeTopology> Catalog::Find(const std::string& key) {
  MutexLock lock(mutex_);
  const auto found = shapes_.find(key);
  return found == shapes_.end() ? nullptr : found->second;
}

std::shared_ptr<const NodeTopology> Catalog::Keep(
    const std::string& key, const std::shared_ptr<const NodeTopology>& created) {
  MutexLock lock(mutex_);
  return shapes_.try_emplace(key, created).first->second;
}

}  // namespace aliquot::topology
