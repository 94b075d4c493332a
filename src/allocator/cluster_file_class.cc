// SPDX-License-Identifier: Apache-2.0
#include "allocator/cluster_file_class.h"

#include <algorithm>
#include <utility>

#include "allocator/cluster_file_host.h"
#include "api/inventory_codec.h"
#include "api/kubernetes_name.h"
#include "base/strings.h"
#include "topology/link.h"

namespace aliquot::allocator {
namespace {

constexpr std::int64_t kMaxNodesOfClass = 50000;
constexpr std::int64_t kMaxMib = 1 << 30;

std::size_t PairCount(std::size_t cards) { return cards * (cards - 1) / 2; }

// Position of the pair (a, b), a < b, in the upper triangle, row by row.
std::size_t PairIndex(std::size_t a, std::size_t b, std::size_t cards) {
  return a * (2 * cards - a - 1) / 2 + (b - a - 1);
}

bool IsLinkWord(program::MapReader& reader, std::string_view key, std::string_view word) {
  const auto link = topology::ParseLink(word);
  if (!link.ok()) {
    reader.Complain(key, "holds a link that is not known: " + link.status().message());
  }
  return link.ok();
}

void ReadTriangle(program::MapReader& links, std::size_t cards, model::Inventory& shape) {
  const std::string text = links.Text("triangle", "");
  std::vector<std::string> words;
  for (const std::string_view part : Split(text, ',')) {
    words.emplace_back(Trim(part));
  }
  if (text.empty()) {
    words.clear();
  }
  if (words.size() != PairCount(cards)) {
    links.Complain("triangle", "has " + std::to_string(words.size()) +
                                   " words; give one for each of the " +
                                   std::to_string(PairCount(cards)) + " pairs of " +
                                   std::to_string(cards) + " cards");
    return;
  }
  for (const std::string& word : words) {
    if (!IsLinkWord(links, "triangle", word)) {
      return;
    }
  }
  shape.links = std::move(words);
}

// One entry of links.pairs.
void ReadPair(program::YamlSource& source, const program::YamlValue& value,
              const program::YamlPath& path, std::size_t cards, std::vector<bool>& given,
              model::Inventory& shape) {
  program::MapReader pair(source, value, path);
  pair.MissingKey("cards");
  const auto ends = pair.Integers("cards", 0, static_cast<int>(cards) - 1);
  const std::string word = pair.RequiredText("link");
  pair.RefuseUnknownKeys();
  if (!ends || word.empty() || !IsLinkWord(pair, "link", word)) {
    return;
  }
  if (ends->size() != 2 || (*ends)[0] == (*ends)[1]) {
    pair.Complain("cards", "is no pair; give two different indices");
    return;
  }
  const auto [low, high] = std::minmax((*ends)[0], (*ends)[1]);
  const std::size_t index =
      PairIndex(static_cast<std::size_t>(low), static_cast<std::size_t>(high), cards);
  if (given[index]) {
    pair.Complain("cards", "names a pair that an earlier entry names; keep one");
    return;
  }
  given[index] = true;
  shape.links[index] = word;
}

void ReadPairs(program::MapReader& links, std::size_t cards, model::Inventory& shape) {
  links.MissingKey("default");
  const std::string word = links.Text("default", "");
  const program::YamlValue* pairs = links.List("pairs");
  if (!links.Has("default") || !IsLinkWord(links, "default", word)) {
    return;
  }
  shape.links.assign(PairCount(cards), word);
  if (pairs == nullptr) {
    return;
  }
  const program::YamlPath path(links.path(), "pairs");
  std::vector<bool> given(PairCount(cards), false);
  for (std::size_t i = 0; i < pairs->items.size(); ++i) {
    ReadPair(links.source(), pairs->items[i], program::YamlPath(path, i), cards, given, shape);
  }
}

void ReadLinks(program::MapReader& reader, model::Inventory& shape) {
  const program::YamlValue* map = reader.Map("links");
  if (map == nullptr) {
    return;
  }
  const program::YamlPath path(reader.path(), "links");
  program::MapReader links(reader.source(), *map, path);
  const std::size_t cards = shape.cards.size();
  if (links.Has("triangle")) {
    ReadTriangle(links, cards, shape);
    if (links.Has("default") || links.Has("pairs")) {
      links.Complain("triangle", "is given beside default or pairs; keep one of the two forms");
      links.Text("default", "");
      links.List("pairs");
    }
  } else {
    ReadPairs(links, cards, shape);
  }
  links.RefuseUnknownKeys();
}

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
    ReadLinks(reader, made.shape);
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
