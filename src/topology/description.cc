// SPDX-License-Identifier: Apache-2.0
#include "topology/description.h"

#include <optional>
#include <utility>

#include "topology/card_set.h"
#include "topology/topology_graph.h"

namespace aliquot::topology {
namespace {

Link DefaultLink(const model::Card& a, const model::Card& b) {
  return MakeLink(a.numa == b.numa && a.numa >= 0 ? LinkClass::kNode : LinkClass::kSys);
}

Status CheckLength(const char* what, std::size_t given, std::size_t cards) {
  if (given == 0 || given == PairCount(cards)) {
    return Status::Ok();
  }
  return InvalidArgument(std::string(what) + " has " + std::to_string(given) + " entries; " +
                         std::to_string(cards) + " cards need " + std::to_string(PairCount(cards)) +
                         ", one for each pair");
}

Status DescribeLinks(const model::Inventory& inventory, Description& description) {
  const std::size_t count = inventory.cards.size();
  std::size_t pair = 0;
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = a + 1; b < count; ++b, ++pair) {
      if (inventory.links.empty()) {
        description.links.push_back(DefaultLink(inventory.cards[a], inventory.cards[b]));
        continue;
      }
      const Result<Link> link = ParseLink(inventory.links[pair]);
      if (!link.ok()) {
        return link.status().WithContext("cards " + std::to_string(a) + " and " +
                                         std::to_string(b));
      }
      description.links.push_back(*link);
    }
  }
  return Status::Ok();
}

Result<DescribedNic> DescribeNic(const model::Nic& nic, std::size_t cards) {
  DescribedNic described;
  described.name = nic.name;
  described.pci = nic.pci;
  described.numa = nic.numa;
  if (nic.to_cards.size() != cards) {
    return InvalidArgument("NIC " + nic.name + " has " + std::to_string(nic.to_cards.size()) +
                           " classes; " + std::to_string(cards) + " cards need one each");
  }
  for (const std::string& word : nic.to_cards) {
    const Result<Link> link = ParseLink(word);
    if (!link.ok()) {
      return link.status().WithContext("NIC " + nic.name);
    }
    described.to_cards.push_back(*link);
  }
  return described;
}

}  // namespace

Result<Description> DescribeInventory(const model::Inventory& inventory) {
  const std::size_t count = inventory.cards.size();
  if (count > static_cast<std::size_t>(kMaxCards)) {
    return InvalidArgument("the inventory has " + std::to_string(count) +
                           " cards; at most 64 are supported");
  }
  Status status = CheckLength("links", inventory.links.size(), count);
  if (status.ok()) {
    status = CheckLength("gbps", inventory.gbps.size(), count);
  }
  Description description;
  description.format = "node inventory";
  for (const model::Card& card : inventory.cards) {
    description.cards.push_back(
        {"GPU" + std::to_string(description.cards.size()), card.model, card.pci, card.numa});
  }
  if (status.ok()) {
    status = DescribeLinks(inventory, description);
  }
  for (const model::Nic& nic : inventory.nics) {
    if (!status.ok()) {
      break;
    }
    Result<DescribedNic> described = DescribeNic(nic, count);
    status = described.status();
    if (described.ok()) {
      description.nics.push_back(*std::move(described));
    }
  }
  if (!status.ok()) {
    return status;
  }
  description.measured_gbps = inventory.gbps;
  return description;
}

Status FillInventory(const Description& description, model::Inventory& inventory) {
  const std::size_t count = description.cards.size();
  if (inventory.cards.size() != count) {
    return InvalidArgument("the inventory has " + std::to_string(inventory.cards.size()) +
                           " cards and the topology " + std::to_string(count) +
                           "; give a topology of the same node");
  }
  const Result<TopologyGraph> graph = TopologyGraph::Create(description);
  if (!graph.ok()) {
    return graph.status();
  }
  inventory.links.clear();
  inventory.nics.clear();
  for (std::size_t a = 0; a < count; ++a) {
    inventory.cards[a].numa = description.cards[a].numa;
    for (std::size_t b = a + 1; b < count; ++b) {
      inventory.links.push_back(
          FormatLink(graph->CardToCard(static_cast<int>(a), static_cast<int>(b)).link));
    }
  }
  for (std::size_t i = 0; i < description.nics.size(); ++i) {
    const DescribedNic& nic = description.nics[i];
    model::Nic filled{nic.name, nic.pci, nic.numa, {}};
    for (std::size_t card = 0; card < count; ++card) {
      const std::optional<Path>& path =
          graph->CardToNic(static_cast<int>(card), static_cast<int>(i));
      filled.to_cards.push_back(FormatLink(path ? path->link : MakeLink(LinkClass::kSys)));
    }
    inventory.nics.push_back(std::move(filled));
  }
  inventory.gbps = description.measured_gbps;
  model::SetShape(inventory);
  return Status::Ok();
}

}  // namespace aliquot::topology
