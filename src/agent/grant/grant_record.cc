// SPDX-License-Identifier: Apache-2.0
#include "agent/grant/grant_record.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "agent/grant/grant_name.h"
#include "agent/grant/sha256.h"

namespace aliquot::agent {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;
// More than any card has, and few enough to be added up.
constexpr std::int64_t kMaxMib = std::int64_t{1} << 32;

std::string_view KindName(model::ContainerKind kind) {
  switch (kind) {
    case model::ContainerKind::kInit:
      return "init";
    case model::ContainerKind::kSidecar:
      return "sidecar";
    case model::ContainerKind::kApp:
      break;
  }
  return "app";
}

// Throws std::out_of_range for a word that is none.
model::ContainerKind KindOf(const std::string& word) {
  for (const auto kind :
       {model::ContainerKind::kInit, model::ContainerKind::kSidecar, model::ContainerKind::kApp}) {
    if (word == KindName(kind)) {
      return kind;
    }
  }
  throw std::out_of_range("its kind of container is not known");
}

// The text that the checksum is over: keys sorted, no blanks.
std::string Canonical(const json& grant) {
  return grant.dump(-1, ' ', false, json::error_handler_t::replace);
}

json ToJson(const GrantRecord& record) {
  json cards = json::array();
  for (const GrantedCard& each : record.cards) {
    cards.push_back(
        {{"uuid", each.uuid}, {"minor", each.minor}, {"core", each.core}, {"mib", each.mib}});
  }
  const ContainerIdentity& who = record.identity;
  return {{"name", record.name},
          {"ids", record.device_ids},
          {"namespace", who.key.namespace_name},
          {"pod", who.key.name},
          {"uid", who.uid},
          {"container", who.container},
          {"kind", KindName(who.kind)},
          {"index", who.index},
          {"core", who.core},
          {"memoryUnits", who.memory_units},
          {"whole", who.whole},
          {"allocation", who.allocation},
          {"signature", who.signature},
          {"cards", std::move(cards)},
          {"limit", record.limit},
          {"isolation", record.isolation},
          {"enforcement", record.enforcement},
          {"driver", record.driver},
          {"library", record.library}};
}

// Throws for what is no whole number between the two.
std::int64_t Number(const json& value, std::int64_t least, std::int64_t most) {
  if (!value.is_number_integer() ||
      (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX)) {
    throw std::out_of_range("it is no whole number");
  }
  const auto number = value.get<std::int64_t>();
  if (number < least || number > most) {
    throw std::out_of_range("it is out of range");
  }
  return number;
}

int SmallNumber(const json& value) { return static_cast<int>(Number(value, 0, INT32_MAX)); }

// Throws for what is missing or of another type.
GrantRecord FromJson(const json& grant) {
  GrantRecord record;
  grant.at("name").get_to(record.name);
  grant.at("ids").get_to(record.device_ids);
  ContainerIdentity& who = record.identity;
  grant.at("namespace").get_to(who.key.namespace_name);
  grant.at("pod").get_to(who.key.name);
  grant.at("uid").get_to(who.uid);
  grant.at("container").get_to(who.container);
  who.kind = KindOf(grant.at("kind").get<std::string>());
  who.index = SmallNumber(grant.at("index"));
  who.core = SmallNumber(grant.at("core"));
  who.memory_units = Number(grant.at("memoryUnits"), 0, INT64_MAX);
  grant.at("whole").get_to(who.whole);
  grant.at("allocation").get_to(who.allocation);
  grant.at("signature").get_to(who.signature);
  for (const json& each : grant.at("cards")) {
    GrantedCard card;
    each.at("uuid").get_to(card.uuid);
    card.minor = SmallNumber(each.at("minor"));
    card.core = static_cast<int>(Number(each.at("core"), 1, 100));
    card.mib = Number(each.at("mib"), 0, kMaxMib);
    record.cards.push_back(std::move(card));
  }
  record.limit = static_cast<int>(Number(grant.at("limit"), 0, 100));
  grant.at("isolation").get_to(record.isolation);
  grant.at("driver").get_to(record.driver);
  grant.at("library").get_to(record.library);
  // Missing in what an agent of an earlier version wrote.
  record.enforcement = grant.value("enforcement", record.library.empty() ? "none" : "library");
  return record;
}

}  // namespace

std::string FormatGrantRecord(const GrantRecord& record) {
  const std::string grant = Canonical(ToJson(record));
  return "{\"v\":" + std::to_string(kVersion) + ",\"checksum\":\"" + Sha256Hex(grant) +
         "\",\"grant\":" + grant + "}\n";
}

Result<GrantRecord> ParseGrantRecord(std::string_view text) {
  if (text.size() > kMaxGrantRecordBytes) {
    return InvalidArgument("is longer than a grant record can be");
  }
  try {
    const json document = json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (document.is_discarded()) {
      return InvalidArgument("is not JSON");
    }
    const std::int64_t version = Number(document.at("v"), INT64_MIN, INT64_MAX);
    if (version != kVersion) {
      return InvalidArgument("is of version " + std::to_string(version) +
                             ", and this agent knows version " + std::to_string(kVersion));
    }
    const json& grant = document.at("grant");
    if (Sha256Hex(Canonical(grant)) != document.at("checksum").get<std::string>()) {
      return InvalidArgument("does not have the checksum that it names");
    }
    GrantRecord record = FromJson(grant);
    if (record.name != GrantName(record.device_ids)) {
      return InvalidArgument("has a name that is not that of its device IDs");
    }
    return record;
  } catch (const std::exception&) {
    // The library's text names positions and types of its own; which field it was helps nobody,
    // since only a damaged file comes here.
    return InvalidArgument("lacks a field of a grant record, or has one of another type");
  }
}

}  // namespace aliquot::agent
