// SPDX-License-Identifier: Apache-2.0
#include "allocator/cluster_file_class.h"

#include <utility>

#include "allocator/cluster_file_host.h"
#include "api/inventory_codec.h"
#include "api/kubernetes_name.h"
#include "base/strings.h"
#include "program/link_reader.h"

namespace aliquot::allocator {
namespace {

constexpr std::int64_t kMaxNodesOfClass = 50000;
constexpr std::int64_t kMaxMib = 1 << 30;

// False when the number of cards is not known.
bool ReadCards(program::MapReader& reader, model::Inventory& shape) {
  reader.MissingKey("cards");
  const program::YamlValue* map = reader.Map("cards");
  if (map == nullptr) {
    return false;
  }
  const program::YamlPath path(reader.path(), "cards");
  program::MapReader cards(reader.source(), *map, path);
  const auto count = cards.RequiredInteger("count", 1, static_cast<int>(api::kMaxCardsPerNode));
  model::Card card;
  card.model = cards.RequiredText("model");
  card.mib = cards.RequiredInteger("mib", 1, kMaxMib).value_or(1);
  card.compute_capability = cards.Text("computeCapability", "");
  card.health = "ok";
  const auto numa = cards.Integers("numa", -1, 4095);
  cards.RefuseUnknownKeys();
  if (!count) {
    return false;
  }
  for (int i = 0; i < *count; ++i) {
    card.minor = i;
    shape.cards.push_back(card);
  }
  if (numa && numa->size() != shape.cards.size()) {
    cards.Complain("numa", "has " + std::to_string(numa->size()) + " entries for " +
                               std::to_string(*count) +
                               " cards; give one NUMA node per card or leave it out");
  } else if (numa) {
    for (std::size_t i = 0; i < numa->size(); ++i) {
      shape.cards[i].numa = (*numa)[i];
    }
  }
  return true;
}

}  // namespace

std::optional<NodeClass> ReadNodeClass(program::YamlSource& source, const program::YamlValue& value,
                                       const program::YamlPath& path) {
  program::MapReader reader(source, value, path);
  NodeClass made;
  made.name = reader.RequiredText("name");
  made.count = static_cast<int>(reader.Integer("count", 0, 0, kMaxNodesOfClass));
  made.prefix = reader.Text("namePrefix", made.name + "-");
  made.shape.driver = reader.Text("driver", "");
  made.allocatable = ReadHost(reader, model::Rounding::kDown);
  const bool cards_known = ReadCards(reader, made.shape);
  if (cards_known) {
    made.shape.links = program::ReadLinks(reader, made.shape.cards.size());
  } else {
    reader.Map("links");
  }
  reader.RefuseUnknownKeys();
  if (!made.name.empty() && !api::IsDnsSubdomain(made.prefix + "0")) {
    reader.Complain(reader.Has("namePrefix") ? "namePrefix" : "name",
                    "begins node names with \"" + Printable(made.prefix) +
                        "\"; use lower case letters, digits, '-' and '.', a letter or digit first");
    made.count = 0;
  }
  if (!cards_known || made.name.empty()) {
    return std::nullopt;
  }
  model::SetShape(made.shape);
  return made;
}

}  // namespace aliquot::allocator
