// SPDX-License-Identifier: Apache-2.0
#include "api/allocation_codec.h"

#include <algorithm>
#include <utility>

#include "api/json_document.h"
#include "api/json_reader.h"
#include "api/json_writer.h"
#include "base/strings.h"
#include "model/gpu_uuid.h"

// The version that is written. Only tests/e2e/next_release sets another: it is this code as a later
// release will have it.
#ifndef ALIQUOT_ALLOCATION_VERSION
#define ALIQUOT_ALLOCATION_VERSION 1
#endif

namespace aliquot::api {
namespace {

constexpr std::int64_t kVersion = ALIQUOT_ALLOCATION_VERSION;
constexpr std::int64_t kOldestVersion = kVersion > 1 ? kVersion - 1 : kVersion;
constexpr std::int64_t kMaxMib = std::int64_t{1} << 32;
constexpr std::size_t kMaxCards = 64;
// Pods with more GPU containers are refused at every door; the margin is for a later version.
constexpr std::size_t kMaxContainers = 64;

std::string ReadVersions() {
  return (kOldestVersion < kVersion ? std::to_string(kOldestVersion) + " and " : "") +
         std::to_string(kVersion);
}

// A field without which the record says nothing.
void Require(JsonReader& reader, const JsonField& field, const JsonPath& path) {
  if (!field) {
    reader.Refuse(path, "is missing; the record must name it");
  }
}

void ReadRequired(JsonReader& reader, const JsonField& field, const JsonPath& path,
                  std::string& value) {
  Require(reader, field, path);
  reader.Text(field, path, value);
  if (value.empty()) {
    reader.Refuse(path, "is empty; the record must name it");
  }
}

void ReadCard(JsonReader& reader, const JsonElement& item, const JsonPath& path,
              model::AllocatedContainer& container) {
  const auto [uuid, core, mib] = reader.Object<3>(item, path, {"uuid", "core", "mib"});
  model::AllocatedCard card;
  ReadRequired(reader, uuid, path.Field("uuid"), card.uuid);
  Require(reader, core, path.Field("core"));
  Require(reader, mib, path.Field("mib"));
  std::int64_t percent = 0;
  reader.Integer(core, path.Field("core"), 1, 100, percent);
  reader.Integer(mib, path.Field("mib"), 0, kMaxMib, card.mib);
  card.core = static_cast<int>(percent);
  if (!model::IsGpuUuid(card.uuid)) {
    reader.Refuse(path.Field("uuid"),
                  "is \"" + Printable(card.uuid) + "\"; give the card's UUID as NVML writes it");
  }
  const bool repeated =
      std::any_of(container.cards.begin(), container.cards.end(),
                  [&](const model::AllocatedCard& other) { return other.uuid == card.uuid; });
  if (repeated) {
    reader.Refuse(
        path.Field("uuid"),
        "is " + card.uuid + ", which an earlier card of the container has; name each once");
  }
  if (container.cards.size() == kMaxCards) {
    reader.Refuse(
        path, "is beyond the " + std::to_string(kMaxCards) + " cards that a container can hold");
    return;
  }
  container.cards.push_back(std::move(card));
}

void ReadContainer(JsonReader& reader, std::string_view name, const JsonElement& value,
                   const JsonPath& path, model::Allocation& allocation) {
  const bool repeated =
      std::any_of(allocation.containers.begin(), allocation.containers.end(),
                  [&](const model::AllocatedContainer& other) { return other.name == name; });
  if (name.empty() || repeated) {
    reader.Refuse(path, repeated ? "appears twice; name each container once"
                                 : "has an empty name; use the container's");
    return;
  }
  if (allocation.containers.size() == kMaxContainers) {
    reader.Refuse(path,
                  "is beyond the " + std::to_string(kMaxContainers) + " containers of a record");
    return;
  }
  const auto [cards, limit, isolation] =
      reader.Object<3>(value, path, {"cards", "limit", "isolation"});
  model::AllocatedContainer container;
  container.name = name;
  Require(reader, cards, path.Field("cards"));
  reader.ForEachItem(cards, path.Field("cards"), [&](const JsonElement& item, const JsonPath& at) {
    ReadCard(reader, item, at, container);
  });
  if (container.cards.empty()) {
    reader.Refuse(path.Field("cards"), "is empty; the record must name the cards");
  }
  std::int64_t ceiling = 0;
  reader.Integer(limit, path.Field("limit"), 1, 100, ceiling);
  container.limit = static_cast<int>(ceiling);
  reader.Text(isolation, path.Field("isolation"), container.isolation);
  allocation.containers.push_back(std::move(container));
}

}  // namespace

Result<model::Allocation> ParseAllocation(std::string_view json) {
  JsonReader reader("the allocation");
  const JsonPath root;
  JsonDocument document;
  const auto parsed = document.Parse(json, kMaxRequestDepth);
  if (!parsed.ok()) {
    return InvalidArgument("the allocation " + parsed.status().message());
  }
  const auto [v, uid, node, containers] =
      reader.Object<4>(*parsed, root, {"v", "uid", "node", "containers"});
  std::int64_t version = 0;
  reader.Integer(v, root.Field("v"), 0, INT32_MAX, version);
  if (version < kOldestVersion || version > kVersion) {
    reader.Refuse(root.Field("v"), "is " + (v ? std::to_string(version) : "missing") +
                                       "; this version reads " + ReadVersions() +
                                       ", so upgrade the reader");
  }
  model::Allocation allocation;
  ReadRequired(reader, uid, root.Field("uid"), allocation.uid);
  ReadRequired(reader, node, root.Field("node"), allocation.node);
  const JsonPath containers_at = root.Field("containers");
  Require(reader, containers, containers_at);
  reader.ForEachMember(containers, containers_at,
                       [&](std::string_view name, const JsonElement& value, const JsonPath& at) {
                         ReadContainer(reader, name, value, at, allocation);
                       });
  if (allocation.containers.empty()) {
    reader.Refuse(containers_at, "is empty; the record must name the containers that hold cards");
  }
  if (!reader.ok()) {
    return reader.status();
  }
  return allocation;
}

std::string FormatAllocation(const model::Allocation& allocation) {
  std::string out = "{\"v\":" + std::to_string(kVersion) + ",\"uid\":";
  AppendJsonString(out, allocation.uid);
  out += ",\"node\":";
  AppendJsonString(out, allocation.node);
  out += ",\"containers\":{";
  bool first_container = true;
  for (const model::AllocatedContainer& container : allocation.containers) {
    out += first_container ? "" : ",";
    first_container = false;
    AppendJsonString(out, container.name);
    out += ":{\"cards\":[";
    bool first_card = true;
    for (const model::AllocatedCard& card : container.cards) {
      out += first_card ? "{\"uuid\":" : ",{\"uuid\":";
      first_card = false;
      AppendJsonString(out, card.uuid);
      out +=
          ",\"core\":" + std::to_string(card.core) + ",\"mib\":" + std::to_string(card.mib) + "}";
    }
    out += ']';
    if (container.limit > 0) {
      out += ",\"limit\":" + std::to_string(container.limit);
    }
    out += ",\"isolation\":";
    AppendJsonString(out, container.isolation);
    out += '}';
  }
  out += "}}";
  return out;
}

}  // namespace aliquot::api
