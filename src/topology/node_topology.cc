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
  Result<std::shared_ptr<const NodeTopology>> found = FindOrCreate(inventory);
  if (found.ok()) {
    (*found)->Prepare();  // without the lock: other shapes need not wait
  }
  return found;
}

Result<std::shared_ptr<const NodeTopology>> Catalog::FindOrCreate(
    const model::Inventory& inventory) {
  MutexLock lock(mutex_);
  for (const auto& [shape, topology] : shapes_) {
    if (shape == inventory.shape &&
        topology->card_count() == static_cast<int>(inventory.cards.size())) {
      return topology;
    }
  }
  Result<std::shared_ptr<const NodeTopology>> created = NodeTopology::Create(inventory);
  if (created.ok()) {
    shapes_.emplace_back(inventory.shape, *created);
  }
  return created;
}

}  // namespace aliquot::topology
