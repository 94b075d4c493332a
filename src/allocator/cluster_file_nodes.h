// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_map.h"
#include "model/inventory.h"
#include "model/node.h"
#include "program/map_reader.h"

namespace aliquot::allocator {

// One entry of nodeClasses: the cards of a node without their identity.
struct NodeClass {
  std::string name;
  std::string prefix;
  int count = 0;
  std::optional<model::HostAmount> allocatable;
  model::Inventory shape;  // cards without UUIDs
};

// The nodes of a cluster file while it is read: first every class, then the entries that change or
// add single nodes. Not thread-safe.
class NodeTable {
 public:
  void AddClass(program::YamlSource& source, const program::YamlValue& value,
                const program::YamlPath& path);
  void AddEntry(program::YamlSource& source, const program::YamlValue& value,
                const program::YamlPath& path);

  // nullptr when there is none of that name. Valid until the next Add.
  const model::Node* Find(std::string_view name) const;
  // The node's cards, also where no agent has published them (then Node::inventory is null): pods
  // may hold cards there all the same. Null only for an unknown node.
  std::shared_ptr<const model::Inventory> CardsOf(std::string_view name) const;
  std::vector<model::Node> TakeNodes() { return std::move(nodes_); }

 private:
  struct Place {
    std::size_t node = 0;
    std::size_t node_class = 0;
    std::shared_ptr<const model::Inventory> cards;
    bool listed = false;  // in `nodes`
  };

  bool MakeNode(const std::string& name, std::size_t node_class);
  Place* PlaceForEntry(program::MapReader& reader, const std::string& name);
  void ApplyEntry(program::MapReader& reader, Place& place);

  std::vector<NodeClass> classes_;
  StringMap<std::size_t> class_by_name_;
  std::vector<model::Node> nodes_;
  StringMap<Place> places_;
};

}  // namespace aliquot::allocator
