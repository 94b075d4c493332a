// SPDX-License-Identifier: Apache-2.0
#include "topology/node_topology.h"

#include <algorithm>
#include <limits>

namespace aliquot::topology {
namespace {

int CountNuma(const std::vector<int>& numa, CardSet set) {
  std::vector<int> seen;
  for (; set != 0; set = WithoutLowest(set)) {
    const int node = numa[static_cast<std::size_t>(LowestOf(set))];
    if (std::find(seen.begin(), seen.end(), node) == seen.end()) {
      seen.push_back(node);
    }
  }
  return static_cast<int>(seen.size());
}

}  // namespace

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

const SubsetTable& NodeTopology::Table() const {
  std::call_once(table_once_, [this] {
    std::vector<int> gbps;
    gbps.reserve(links_.size());
    for (const Link& link : links_) {
      gbps.push_back(link.gbps);
    }
    table_ = SubsetTable(gbps, numa_);
  });
  return table_;
}

Connectedness NodeTopology::Of(CardSet set) const {
  if (card_count() <= kMaxTableCards) {
    return Table().Of(set);
  }
  Connectedness result;
  for (CardSet a = set; a != 0; a = WithoutLowest(a)) {
    for (CardSet b = WithoutLowest(a); b != 0; b = WithoutLowest(b)) {
      result.total_gbps += Gbps(LowestOf(a), LowestOf(b));
    }
  }
  result.ring_gbps = CountOf(set) == 2 ? result.total_gbps : GreedyRing(set);
  result.numa_nodes = CountNuma(numa_, set);
  return result;
}

int NodeTopology::LinksBetween(int card, CardSet others) const {
  if (card_count() <= kMaxTableCards) {
    const SubsetTable& table = Table();
    return table.Of(others | CardBit(card)).total_gbps - table.Of(others).total_gbps;
  }
  int sum = 0;
  for (; others != 0; others = WithoutLowest(others)) {
    sum += Gbps(card, LowestOf(others));
  }
  return sum;
}

CardSet NodeTopology::BestCards(CardSet free, int count) const {
  if (card_count() < kMaxCards) {
    free &= CardBit(card_count()) - 1;
  }
  if (count < 1 || CountOf(free) < count) {
    return 0;
  }
  return card_count() <= kMaxTableCards ? Table().Best(free, count) : GreedySet(free, count);
}

int NodeTopology::GreedyRing(CardSet set) const {
  if (CountOf(set) < 3) {
    return 0;
  }
  const int start = LowestOf(set);
  int at = start;
  int smallest = std::numeric_limits<int>::max();
  for (CardSet left = WithoutLowest(set); left != 0;) {
    int next = LowestOf(left);
    for (CardSet others = WithoutLowest(left); others != 0; others = WithoutLowest(others)) {
      next = Gbps(at, LowestOf(others)) > Gbps(at, next) ? LowestOf(others) : next;
    }
    smallest = std::min(smallest, Gbps(at, next));
    left &= ~CardBit(next);
    at = next;
  }
  return std::min(smallest, Gbps(at, start));
}

CardSet NodeTopology::GreedySet(CardSet free, int count) const {
  if (count == 1) {
    return CardBit(LowestOf(free));
  }
  CardSet chosen = 0;
  int best = -1;
  for (CardSet a = free; a != 0; a = WithoutLowest(a)) {
    for (CardSet b = WithoutLowest(a); b != 0; b = WithoutLowest(b)) {
      if (Gbps(LowestOf(a), LowestOf(b)) > best) {
        best = Gbps(LowestOf(a), LowestOf(b));
        chosen = CardBit(LowestOf(a)) | CardBit(LowestOf(b));
      }
    }
  }
  while (CountOf(chosen) < count) {
    int next = -1;
    int next_sum = -1;
    for (CardSet candidates = free & ~chosen; candidates != 0;
         candidates = WithoutLowest(candidates)) {
      int sum = 0;
      for (CardSet member = chosen; member != 0; member = WithoutLowest(member)) {
        sum += Gbps(LowestOf(candidates), LowestOf(member));
      }
      if (sum > next_sum) {
        next_sum = sum;
        next = LowestOf(candidates);
      }
    }
    chosen |= CardBit(next);
  }
  return chosen;
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
