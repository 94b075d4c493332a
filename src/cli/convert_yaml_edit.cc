// SPDX-License-Identifier: Apache-2.0
#include "cli/convert_yaml_edit.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"

namespace aliquot::cli {
namespace {

using nlohmann::json;
using program::YamlValue;

// A member or item of `parent`, or nullptr.
YamlValue* Child(YamlValue& parent, const std::string& token) {
  if (parent.kind == YamlValue::Kind::kMap) {
    const auto at = std::find(parent.keys.begin(), parent.keys.end(), token);
    return at == parent.keys.end()
               ? nullptr
               : &parent.items[static_cast<std::size_t>(at - parent.keys.begin())];
  }
  const auto index = ParseUnsigned(token);
  const bool there = parent.kind == YamlValue::Kind::kList && index &&
                     static_cast<std::size_t>(*index) < parent.items.size();
  return there ? &parent.items[static_cast<std::size_t>(*index)] : nullptr;
}

// Patches add texts and maps of texts only.
YamlValue ValueOf(const json& value) {
  YamlValue made;
  if (value.is_object()) {
    made.kind = YamlValue::Kind::kMap;
    for (const auto& [key, member] : value.items()) {
      made.keys.push_back(key);
      made.key_lines.push_back(0);
      made.items.push_back(ValueOf(member));
    }
    return made;
  }
  made.kind = YamlValue::Kind::kScalar;
  made.text = value.is_string() ? value.get<std::string>() : value.dump();
  made.plain = !value.is_string();
  return made;
}

void SetMember(YamlValue& map, const std::string& key, YamlValue value) {
  if (YamlValue* present = Child(map, key)) {
    *present = std::move(value);
    return;
  }
  map.keys.push_back(key);
  map.key_lines.push_back(0);
  map.items.push_back(std::move(value));
}

void RemoveMember(YamlValue& map, const std::string& key) {
  const auto at = std::find(map.keys.begin(), map.keys.end(), key) - map.keys.begin();
  map.keys.erase(map.keys.begin() + at);
  map.key_lines.erase(map.key_lines.begin() + at);
  map.items.erase(map.items.begin() + at);
}

Status ApplyOne(const json& operation, const std::string& base, YamlValue& document) {
  const std::string path = base + operation["path"].get<std::string>();
  const json::json_pointer pointer(path);
  YamlValue* parent = &document;
  std::vector<std::string> tokens;
  for (json::json_pointer at = pointer; !at.empty(); at = at.parent_pointer()) {
    tokens.push_back(at.back());
  }
  for (auto token = tokens.rbegin(); token + 1 != tokens.rend() && parent != nullptr; ++token) {
    parent = Child(*parent, *token);
  }
  // `key:` without a value reads as null, and is a map as soon as it gets a member.
  if (parent != nullptr && parent->kind == YamlValue::Kind::kNull) {
    parent->kind = YamlValue::Kind::kMap;
  }
  const std::string& key = tokens.front();
  const bool removes = operation["op"] == "remove";
  if (parent == nullptr || parent->kind != YamlValue::Kind::kMap ||
      (removes && Child(*parent, key) == nullptr)) {
    return Internal("the translation names " + path + ", which the document does not have");
  }
  if (removes) {
    RemoveMember(*parent, key);
  } else {
    SetMember(*parent, key, ValueOf(operation["value"]));
  }
  return Status::Ok();
}

}  // namespace

Status PatchYaml(const json& patch, const std::string& base, YamlValue& document) {
  for (const json& operation : patch) {
    if (Status status = ApplyOne(operation, base, document); !status.ok()) {
      return status;
    }
  }
  return Status::Ok();
}

}  // namespace aliquot::cli
