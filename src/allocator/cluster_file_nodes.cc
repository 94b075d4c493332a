// SPDX-License-Identifier: Apache-2.0
#include "allocator/cluster_file_nodes.h"

#include <utility>

#include "allocator/cluster_file_class.h"
#include "api/kubernetes_name.h"
#include "base/strings.h"

namespace aliquot::allocator {
namespace {

// The cards of one node: its class's, with their own UUIDs.
std::shared_ptr<model::Inventory> CardsFor(const std::string& node, const NodeClass& node_class) {
  auto inventory = std::make_shared<model::Inventory>(node_class.shape);
  for (std::size_t i = 0; i < inventory->cards.size(); ++i) {
    inventory->cards[i].uuid = "GPU-" + node + "-" + std::to_string(i);
  }
  return inventory;
}

// "dgx-07": padded to the width of the class's last number.
std::string NodeName(const NodeClass& node_class, int number) {
  const std::size_t width = std::to_string(node_class.count - 1).size();
  const std::string digits = std::to_string(number);
  return node_class.prefix + std::string(width - digits.size(), '0') + digits;
}

}  // namespace

bool NodeTable::MakeNode(const std::string& name, std::size_t node_class) {
  Place place;
  place.node = nodes_.size();
  place.node_class = node_class;
  place.cards = CardsFor(name, classes_[node_class]);
  model::Node node;
  node.name = name;
  node.uid = "uid-" + name;
  node.resource_version = "1";
  node.inventory = place.cards;
  node.allocatable = classes_[node_class].allocatable;
  if (!places_.try_emplace(name, std::move(place)).second) {
    return false;
  }
  nodes_.push_back(std::move(node));
  return true;
}

void NodeTable::AddClass(program::YamlSource& source, const program::YamlValue& value,
                         const program::YamlPath& path) {
  auto made = ReadNodeClass(source, value, path);
  if (!made) {
    return;
  }
  if (!class_by_name_.try_emplace(made->name, classes_.size()).second) {
    source.problems.Add(source.Where(value.line), path.ToString() + ".name is \"" +
                                                      Printable(made->name) +
                                                      "\", as another class is; give each its own");
    return;
  }
  classes_.push_back(*std::move(made));
  const NodeClass& node_class = classes_.back();
  for (int i = 0; i < node_class.count; ++i) {
    const std::string name = NodeName(node_class, i);
    if (!MakeNode(name, classes_.size() - 1)) {
      source.problems.Add(source.Where(value.line),
                          path.ToString() + " makes the node \"" + name +
                              "\", which another class makes too; give them different prefixes");
      return;
    }
  }
}

void NodeTable::AddEntry(program::YamlSource& source, const program::YamlValue& value,
                         const program::YamlPath& path) {
  program::MapReader reader(source, value, path);
  const std::string name = reader.RequiredText("name");
  Place* place = PlaceForEntry(reader, name);
  if (place != nullptr) {
    ApplyEntry(reader, *place);
    reader.RefuseUnknownKeys();
  }
}

NodeTable::Place* NodeTable::PlaceForEntry(program::MapReader& reader, const std::string& name) {
  if (name.empty()) {
    return nullptr;
  }
  if (!api::IsDnsSubdomain(name)) {
    reader.Complain("name",
                    "is \"" + Printable(name) + "\"; use lower case letters, digits, '-' and '.'");
    return nullptr;
  }
  const std::string wanted = reader.Text("class", "");
  const auto node_class = class_by_name_.find(wanted);
  if (!wanted.empty() && node_class == class_by_name_.end()) {
    reader.Complain("class", "is \"" + Printable(wanted) +
                                 "\", which nodeClasses does not have; name one of them");
    return nullptr;
  }
  auto at = places_.find(name);
  if (at == places_.end()) {
    if (wanted.empty()) {
      reader.Complain(
          "name", "is \"" + name +
                      "\", which no class makes; correct it, or give the class of this new node");
      return nullptr;
    }
    MakeNode(name, node_class->second);
    at = places_.find(name);
  } else if (at->second.listed) {
    reader.Complain("name", "is \"" + name + "\", which an earlier entry names; keep one");
    return nullptr;
  } else if (!wanted.empty() && node_class->second != at->second.node_class) {
    reader.Complain("class", "is \"" + wanted + "\", but the class \"" +
                                 classes_[at->second.node_class].name +
                                 "\" makes this node; leave it out");
    return nullptr;
  }
  at->second.listed = true;
  return &at->second;
}

void NodeTable::ApplyEntry(program::MapReader& reader, Place& place) {
  model::Node& node = nodes_[place.node];
  node.unschedulable = reader.Boolean("cordoned", false);
  const int last = static_cast<int>(place.cards->cards.size()) - 1;
  auto cards = std::make_shared<model::Inventory>(*place.cards);
  for (const int index : reader.Integers("unhealthy", 0, last).value_or(std::vector<int>())) {
    cards->cards[static_cast<std::size_t>(index)].health = "failed";
  }
  for (const int index : reader.Integers("mig", 0, last).value_or(std::vector<int>())) {
    cards->cards[static_cast<std::size_t>(index)].mode = "mig";
  }
  cards->leaving = reader.Boolean("leaving", false);
  place.cards = cards;
  node.inventory = reader.Boolean("inventory", true) ? place.cards : nullptr;
}

const model::Node* NodeTable::Find(std::string_view name) const {
  const auto at = places_.find(name);
  return at == places_.end() ? nullptr : &nodes_[at->second.node];
}

std::shared_ptr<const model::Inventory> NodeTable::CardsOf(std::string_view name) const {
  const auto at = places_.find(name);
  return at == places_.end() ? nullptr : at->second.cards;
}

}  // namespace aliquot::allocator
