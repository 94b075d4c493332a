// SPDX-License-Identifier: Apache-2.0
#include "api/inventory_codec.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "api/json_document.h"
#include "api/json_reader.h"
#include "api/json_writer.h"
#include "base/strings.h"
#include "model/gpu_uuid.h"

namespace aliquot::api {
namespace {

constexpr std::size_t kCardElements = 9;
constexpr std::int64_t kMaxMinor = 65535;
constexpr std::int64_t kMaxMib = std::int64_t{1} << 32;
constexpr std::int64_t kMaxNuma = 4095;
constexpr std::size_t kMaxLinkClassBytes = 8;
constexpr std::size_t kNicElements = 4;
constexpr std::size_t kMaxNics = 64;
constexpr std::size_t kMaxNicNameBytes = 64;
constexpr std::int64_t kMaxGbps = 10000;  // more is a wrong unit

std::vector<std::string> ReadModels(JsonReader& reader, const JsonField& list,
                                    const JsonPath& path) {
  std::vector<std::string> models;
  reader.ForEachItem(list, path, [&](const JsonElement& item, const JsonPath& at) {
    reader.Text(item, at, models.emplace_back());
  });
  return models;
}

model::Card ReadCard(JsonReader& reader, const JsonElement& value, const JsonPath& path,
                     const std::vector<std::string>& models) {
  model::Card card;
  std::vector<JsonField> elements;
  reader.ForEachItem(value, path, [&](const JsonElement& element, const JsonPath&) {
    elements.push_back(element);
  });
  if (!reader.ok()) {
    return card;
  }
  if (elements.size() < kCardElements) {
    reader.Refuse(path, "has " + std::to_string(elements.size()) +
                            " elements; give uuid, minor, model, MiB, PCI id, NUMA node, compute "
                            "capability, health and mode");
    return card;
  }
  std::int64_t minor = 0, model = 0, numa = 0;
  reader.Text(elements[0], path.Item(0), card.uuid);
  reader.Integer(elements[1], path.Item(1), 0, kMaxMinor, minor);
  const auto last_model = static_cast<std::int64_t>(models.size()) - 1;
  reader.Integer(elements[2], path.Item(2), 0, last_model, model);
  reader.Integer(elements[3], path.Item(3), 0, kMaxMib, card.mib);
  reader.Text(elements[4], path.Item(4), card.pci);
  reader.Integer(elements[5], path.Item(5), -1, kMaxNuma, numa);
  reader.Text(elements[6], path.Item(6), card.compute_capability);
  reader.Text(elements[7], path.Item(7), card.health);
  reader.Text(elements[8], path.Item(8), card.mode);
  if (!reader.ok()) {
    return card;
  }
  if (!model::IsGpuUuid(card.uuid)) {
    reader.Refuse(path.Item(0),
                  "is \"" + Printable(card.uuid) + "\"; give the card's UUID as NVML writes it");
  }
  card.minor = static_cast<int>(minor);
  card.model = models[static_cast<std::size_t>(model)];
  card.numa = static_cast<int>(numa);
  return card;
}

void ReadCards(JsonReader& reader, const JsonField& list, const JsonPath& path,
               const std::vector<std::string>& models, model::Inventory& inventory) {
  if (!list) {
    reader.Refuse(path, "is missing; list the node's cards, [] for none");
    return;
  }
  std::set<std::string> uuids;
  std::set<int> minors;
  reader.ForEachItem(list, path, [&](const JsonElement& item, const JsonPath& at) {
    if (inventory.cards.size() == kMaxCardsPerNode) {
      reader.Refuse(path, "lists more than " + std::to_string(kMaxCardsPerNode) +
                              " cards; publish at most that many");
      return;
    }
    model::Card card = ReadCard(reader, item, at, models);
    if (!reader.ok()) {
      return;
    }
    if (!uuids.insert(card.uuid).second) {
      reader.Refuse(at.Item(0),
                    "is " + card.uuid + ", which an earlier card has; give each card its own UUID");
    } else if (!minors.insert(card.minor).second) {
      reader.Refuse(at.Item(1),
                    "is " + std::to_string(card.minor) +
                        ", which an earlier card has; give each card its own minor number");
    }
    inventory.cards.push_back(std::move(card));
  });
}

bool IsLinkClass(std::string_view text) {
  return !text.empty() && text.size() <= kMaxLinkClassBytes &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); });
}

void RefuseClass(JsonReader& reader, const JsonPath& path, std::string_view link) {
  reader.Refuse(path, "holds the class \"" + Printable(link) +
                          "\"; use NVIDIA's words: NV1 and up, C2C, PIX, PXB, PHB, NODE, SYS");
}

// The parts of a triangle over the cards; none when the field is missing, empty or refused. `what`
// names its entries in the sentence.
std::vector<std::string_view> ReadTriangle(JsonReader& reader, const JsonField& field,
                                           const JsonPath& path, std::size_t cards,
                                           std::string_view what) {
  std::string_view text;
  reader.View(field, path, text);
  if (!reader.ok() || text.empty()) {
    return {};
  }
  const std::size_t pairs = cards < 2 ? 0 : cards * (cards - 1) / 2;
  // Counted before it is split: the text comes from outside and may be long.
  const auto given = static_cast<std::size_t>(std::count(text.begin(), text.end(), ',')) + 1;
  if (given != pairs) {
    reader.Refuse(path, "has " + std::to_string(given) + " " + std::string(what) + " for " +
                            std::to_string(cards) + " cards; give " + std::to_string(pairs) +
                            ", the upper triangle row by row, or none");
    return {};
  }
  return Split(text, ',');
}

void ReadLinks(JsonReader& reader, const JsonField& field, const JsonPath& path,
               model::Inventory& inventory) {
  const auto links = ReadTriangle(reader, field, path, inventory.cards.size(), "classes");
  inventory.links.reserve(links.size());
  for (const std::string_view link : links) {
    if (!IsLinkClass(link)) {
      RefuseClass(reader, path, link);
      return;
    }
    inventory.links.emplace_back(link);
  }
}

void ReadGbps(JsonReader& reader, const JsonField& field, const JsonPath& path,
              model::Inventory& inventory) {
  const auto figures = ReadTriangle(reader, field, path, inventory.cards.size(), "figures");
  inventory.gbps.reserve(figures.size());
  for (const std::string_view figure : figures) {
    const auto gbps = ParseUnsigned(figure);
    if (!gbps || *gbps > kMaxGbps) {
      reader.Refuse(path, "holds the figure \"" + Printable(figure) +
                              "\"; give whole GB/s one way, 0 to " + std::to_string(kMaxGbps) +
                              ", 0 for a pair that was not measured");
      return;
    }
    inventory.gbps.push_back(static_cast<int>(*gbps));
  }
}

model::Nic ReadNic(JsonReader& reader, const JsonElement& value, const JsonPath& path,
                   std::size_t cards) {
  model::Nic nic;
  std::vector<JsonField> elements;
  reader.ForEachItem(value, path, [&](const JsonElement& element, const JsonPath&) {
    elements.push_back(element);
  });
  if (!reader.ok()) {
    return nic;
  }
  if (elements.size() < kNicElements) {
    reader.Refuse(path, "has " + std::to_string(elements.size()) +
                            " elements; give name, PCI id, NUMA node and the classes to each card");
    return nic;
  }
  std::int64_t numa = 0;
  std::string_view classes;
  reader.Text(elements[0], path.Item(0), nic.name);
  reader.Text(elements[1], path.Item(1), nic.pci);
  reader.Integer(elements[2], path.Item(2), -1, kMaxNuma, numa);
  reader.View(elements[3], path.Item(3), classes);
  if (!reader.ok()) {
    return nic;
  }
  nic.numa = static_cast<int>(numa);
  if (nic.name.empty() || nic.name.size() > kMaxNicNameBytes) {
    reader.Refuse(path.Item(0), "has " + std::to_string(nic.name.size()) +
                                    " bytes; give a name of 1 to 64, such as mlx5_0");
    return nic;
  }
  const auto given =
      classes.empty()
          ? std::size_t{0}
          : static_cast<std::size_t>(std::count(classes.begin(), classes.end(), ',')) + 1;
  if (given != cards) {
    reader.Refuse(path.Item(3), "has " + std::to_string(given) + " classes for " +
                                    std::to_string(cards) + " cards; give one for each card");
    return nic;
  }
  for (const std::string_view link :
       given == 0 ? std::vector<std::string_view>() : Split(classes, ',')) {
    if (!IsLinkClass(link)) {
      RefuseClass(reader, path.Item(3), link);
      return nic;
    }
    nic.to_cards.emplace_back(link);
  }
  return nic;
}

void ReadNics(JsonReader& reader, const JsonField& list, const JsonPath& path,
              model::Inventory& inventory) {
  reader.ForEachItem(list, path, [&](const JsonElement& item, const JsonPath& at) {
    if (inventory.nics.size() == kMaxNics) {
      reader.Refuse(
          path, "lists more than " + std::to_string(kMaxNics) + " NICs; publish at most that many");
      return;
    }
    inventory.nics.push_back(ReadNic(reader, item, at, inventory.cards.size()));
  });
}

}  // namespace

Result<model::Inventory> ParseInventory(std::string_view json) {
  JsonReader reader("the inventory");
  const JsonPath root;
  JsonDocument document;
  const auto parsed = document.Parse(json, kMaxRequestDepth);
  if (!parsed.ok()) {
    return InvalidArgument("the inventory " + parsed.status().message());
  }
  const auto fields = reader.Object<8>(
      *parsed, root, {"v", "driver", "models", "cards", "links", "state", "nics", "gbps"});
  std::int64_t version = 0;
  reader.Integer(fields[0], root.Field("v"), 0, INT32_MAX, version);
  if (version != kInventoryVersion) {
    reader.Refuse(root.Field("v"), "is " + (fields[0] ? std::to_string(version) : "missing") +
                                       "; this version reads " + std::to_string(kInventoryVersion) +
                                       ", so upgrade the allocator or the node's agent");
  }
  model::Inventory inventory;
  reader.Text(fields[1], root.Field("driver"), inventory.driver);
  const auto models = ReadModels(reader, fields[2], root.Field("models"));
  ReadCards(reader, fields[3], root.Field("cards"), models, inventory);
  ReadLinks(reader, fields[4], root.Field("links"), inventory);
  std::string_view state;
  reader.View(fields[5], root.Field("state"), state);
  inventory.leaving = state == "leaving";
  ReadNics(reader, fields[6], root.Field("nics"), inventory);
  ReadGbps(reader, fields[7], root.Field("gbps"), inventory);
  if (!reader.ok()) {
    return reader.status();
  }
  model::SetShape(inventory);
  return inventory;
}

namespace {

// The models in the order of their first card, and the cards that refer to them.
std::string FormatCards(const model::Inventory& inventory, std::vector<std::string_view>& models) {
  std::string cards;
  for (const model::Card& card : inventory.cards) {
    auto model = std::find(models.begin(), models.end(), card.model);
    if (model == models.end()) {
      model = models.insert(models.end(), card.model);
    }
    cards += cards.empty() ? "[" : ",[";
    AppendJsonString(cards, card.uuid);
    cards += "," + std::to_string(card.minor) + "," + std::to_string(model - models.begin()) + "," +
             std::to_string(card.mib) + ",";
    AppendJsonString(cards, card.pci);
    cards += "," + std::to_string(card.numa) + ",";
    AppendJsonString(cards, card.compute_capability);
    cards += ',';
    AppendJsonString(cards, card.health);
    cards += ',';
    AppendJsonString(cards, card.mode);
    cards += ']';
  }
  return cards;
}

void AppendNics(std::string& out, const std::vector<model::Nic>& nics) {
  out += ",\"nics\":[";
  for (std::size_t i = 0; i < nics.size(); ++i) {
    out += i == 0 ? "[" : ",[";
    AppendJsonString(out, nics[i].name);
    out += ',';
    AppendJsonString(out, nics[i].pci);
    out += "," + std::to_string(nics[i].numa) + ",";
    AppendJsonString(out, Join(nics[i].to_cards, ","));
    out += ']';
  }
  out += ']';
}

void AppendGbps(std::string& out, const std::vector<int>& gbps) {
  out += ",\"gbps\":\"";
  for (std::size_t i = 0; i < gbps.size(); ++i) {
    out += (i == 0 ? "" : ",") + std::to_string(gbps[i]);
  }
  out += '"';
}

}  // namespace

std::string FormatInventory(const model::Inventory& inventory) {
  std::vector<std::string_view> models;
  const std::string cards = FormatCards(inventory, models);
  std::string out = "{\"v\":" + std::to_string(kInventoryVersion) + ",\"driver\":";
  AppendJsonString(out, inventory.driver);
  out += ",\"models\":[";
  for (std::size_t i = 0; i < models.size(); ++i) {
    out += i == 0 ? "" : ",";
    AppendJsonString(out, models[i]);
  }
  out += "],\"cards\":[" + cards + "],\"links\":";
  AppendJsonString(out, Join(inventory.links, ","));
  if (!inventory.nics.empty()) {
    AppendNics(out, inventory.nics);
  }
  if (!inventory.gbps.empty()) {
    AppendGbps(out, inventory.gbps);
  }
  out += inventory.leaving ? ",\"state\":\"leaving\"}" : "}";
  return out;
}

}  // namespace aliquot::api
