// SPDX-License-Identifier: Apache-2.0
#include "program/link_reader.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "topology/description.h"
#include "topology/link.h"

namespace aliquot::program {
namespace {

std::vector<std::string> ReadTriangle(MapReader& links, std::size_t cards) {
  const std::string text = links.Text("triangle", "");
  std::vector<std::string> words;
  for (const std::string_view part : Split(text, ',')) {
    words.emplace_back(Trim(part));
  }
  if (text.empty()) {
    words.clear();
  }
  const std::size_t pairs = topology::PairCount(cards);
  if (words.size() != pairs) {
    links.Complain("triangle", "has " + std::to_string(words.size()) +
                                   " words; give one for each of the " + std::to_string(pairs) +
                                   " pairs of " + std::to_string(cards) + " cards");
    return {};
  }
  for (const std::string& word : words) {
    if (!IsLinkWord(links, "triangle", word)) {
      return {};
    }
  }
  return words;
}

// One entry of links.pairs.
void ReadPair(MapReader& pair, std::size_t cards, std::vector<bool>& given,
              std::vector<std::string>& words) {
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
  const std::size_t index = topology::PairIndex(static_cast<std::size_t>((*ends)[0]),
                                                static_cast<std::size_t>((*ends)[1]), cards);
  if (given[index]) {
    pair.Complain("cards", "names a pair that an earlier entry names; keep one");
    return;
  }
  given[index] = true;
  words[index] = word;
}

std::vector<std::string> ReadPairs(MapReader& links, std::size_t cards) {
  links.MissingKey("default");
  const std::string word = links.Text("default", "");
  const YamlValue* pairs = links.List("pairs");
  if (!links.Has("default") || !IsLinkWord(links, "default", word)) {
    return {};
  }
  const std::size_t count = topology::PairCount(cards);
  std::vector<std::string> words(count, word);
  if (pairs == nullptr) {
    return words;
  }
  const YamlPath path(links.path(), "pairs");
  std::vector<bool> given(count, false);
  for (std::size_t i = 0; i < pairs->items.size(); ++i) {
    const YamlPath place(path, i);
    MapReader pair(links.source(), pairs->items[i], place);
    ReadPair(pair, cards, given, words);
  }
  return words;
}

}  // namespace

bool IsLinkWord(MapReader& reader, std::string_view key, std::string_view word) {
  const auto link = topology::ParseLink(word);
  if (!link.ok()) {
    reader.Complain(key, "holds a link that is not known: " + link.status().message());
  }
  return link.ok();
}

std::vector<std::string> ReadLinks(MapReader& reader, std::size_t cards) {
  const YamlValue* map = reader.Map("links");
  if (map == nullptr) {
    return {};
  }
  const YamlPath path(reader.path(), "links");
  MapReader links(reader.source(), *map, path);
  std::vector<std::string> words;
  if (links.Has("triangle")) {
    words = ReadTriangle(links, cards);
    if (links.Has("default") || links.Has("pairs")) {
      links.Complain("triangle", "is given beside default or pairs; keep one of the two forms");
      links.Text("default", "");
      links.List("pairs");
    }
  } else {
    words = ReadPairs(links, cards);
  }
  links.RefuseUnknownKeys();
  return words;
}

}  // namespace aliquot::program
