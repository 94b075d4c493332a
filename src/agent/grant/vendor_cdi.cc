// SPDX-License-Identifier: Apache-2.0
#include "agent/grant/vendor_cdi.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "agent/grant/file_system.h"
#include "base/strings.h"
#include "program/problems.h"
#include "program/yaml_document.h"

namespace aliquot::agent {
namespace {

using nlohmann::json;

constexpr std::string_view kVendorKind = "nvidia.com/gpu";

bool EndsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

// Scalars stay text: of the parts that are read below all are text.
json ToJson(const program::YamlValue& value) {
  switch (value.kind) {
    case program::YamlValue::Kind::kNull:
      return nullptr;
    case program::YamlValue::Kind::kScalar:
      return value.text;
    case program::YamlValue::Kind::kList: {
      json list = json::array();
      for (const program::YamlValue& item : value.items) {
        list.push_back(ToJson(item));
      }
      return list;
    }
    case program::YamlValue::Kind::kMap:
      break;
  }
  json map = json::object();
  for (std::size_t i = 0; i < value.keys.size(); ++i) {
    map[value.keys[i]] = ToJson(value.items[i]);
  }
  return map;
}

Result<json> ParseDocument(std::string_view text, const std::string& file) {
  if (EndsWith(file, ".json")) {
    json document = json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (document.is_discarded()) {
      return InvalidArgument(file + " is not JSON; write it anew with nvidia-ctk cdi generate");
    }
    return document;
  }
  program::Problems problems;
  const auto document = program::ParseYaml(text, file, problems);
  if (!document) {
    return InvalidArgument(problems.lines().front());
  }
  return ToJson(*document);
}

// A member that may be missing or null.
json Member(const json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? json::array() : *found;
}

// Throws json::exception for what is missing or of another type.
VendorEdits ReadEdits(const json& edits) {
  VendorEdits read;
  Member(edits, "env").get_to(read.environment);
  for (const json& each : Member(edits, "mounts")) {
    VendorEdits::Mount mount;
    each.at("hostPath").get_to(mount.host_path);
    each.at("containerPath").get_to(mount.container_path);
    Member(each, "options").get_to(mount.options);
    read.mounts.push_back(std::move(mount));
  }
  for (const json& each : Member(edits, "hooks")) {
    VendorEdits::Hook hook;
    each.at("hookName").get_to(hook.name);
    each.at("path").get_to(hook.path);
    Member(each, "args").get_to(hook.arguments);
    Member(each, "env").get_to(hook.environment);
    read.hooks.push_back(std::move(hook));
  }
  return read;
}

// The card that a hook sets a limit of; "" for another hook, and for one of several cards.
std::string LimitedCard(const VendorEdits::Hook& hook) {
  const auto& words = hook.arguments;
  if (std::find(words.begin(), words.end(), kMemoryLimitsHook) == words.end()) {
    return "";
  }
  std::string uuid;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "--gpu-id") {
      if (!uuid.empty()) {
        return "";
      }
      uuid = words[i + 1];
    }
  }
  return uuid;
}

// Moves hooks that set a limit out of `hooks`: they belong to one card, not to every container.
void TakeMemoryLimits(std::vector<VendorEdits::Hook>& hooks, VendorEdits& read) {
  for (auto at = hooks.begin(); at != hooks.end();) {
    const std::string uuid = LimitedCard(*at);
    if (uuid.empty()) {
      ++at;
      continue;
    }
    const bool known = std::any_of(read.memory_limits.begin(), read.memory_limits.end(),
                                   [&](const auto& each) { return each.uuid == uuid; });
    if (!known) {
      read.memory_limits.push_back({uuid, std::move(*at)});
    }
    at = hooks.erase(at);
  }
}

void ReadMemoryLimits(const json& document, VendorEdits& read) {
  TakeMemoryLimits(read.hooks, read);
  for (const json& device : Member(document, "devices")) {
    const auto edits = device.find("containerEdits");
    if (edits != device.end() && edits->is_object()) {
      std::vector<VendorEdits::Hook> hooks = ReadEdits(*edits).hooks;
      TakeMemoryLimits(hooks, read);
    }
  }
}

}  // namespace

Result<VendorEdits> ParseVendorSpec(std::string_view text, const std::string& file) {
  auto document = ParseDocument(text, file);
  if (!document.ok()) {
    return document.status();
  }
  try {
    if (document->at("kind").get<std::string>() != kVendorKind) {
      return NotFound(file + " is not of kind " + std::string(kVendorKind));
    }
    const auto edits = document->find("containerEdits");
    if (edits == document->end() || !edits->is_object()) {
      return InvalidArgument(file +
                             " has no containerEdits, so no driver libraries; write it anew with "
                             "nvidia-ctk cdi generate");
    }
    VendorEdits read = ReadEdits(*edits);
    if (read.mounts.empty()) {
      return InvalidArgument(file +
                             " mounts no driver libraries in its containerEdits; write it anew "
                             "with nvidia-ctk cdi generate");
    }
    ReadMemoryLimits(*document, read);
    read.file = file;
    return read;
  } catch (const json::exception&) {
    return InvalidArgument(file +
                           " is not a CDI specification: a field is missing or has another type; "
                           "write it anew with nvidia-ctk cdi generate");
  }
}

Result<VendorEdits> FindVendorSpec(const std::vector<std::string>& directories) {
  const FileSystem files;
  std::optional<Result<VendorEdits>> last;
  for (const std::string& directory : directories) {
    std::vector<std::string> names;
    if (files.List(directory, names) != 0) {
      continue;  // it need not exist
    }
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
      if (!EndsWith(name, ".json") && !EndsWith(name, ".yaml") && !EndsWith(name, ".yml")) {
        continue;
      }
      const std::string path = directory + "/" + name;
      std::string text;
      if (StartsWith(name, "aliquot.io-grant_") ||
          files.Read(path, kMaxVendorSpecBytes, text) != 0) {
        continue;
      }
      auto edits = ParseVendorSpec(text, path);
      // A broken file of NVIDIA's counts only where no other is whole.
      if (edits.ok() || (edits.status().code() != StatusCode::kNotFound &&
                         text.find(kVendorKind) != std::string::npos && !(last && last->ok()))) {
        last = std::move(edits);
      }
    }
  }
  if (last) {
    return *std::move(last);
  }
  return NotFound("no CDI specification of kind " + std::string(kVendorKind) + " lies in " +
                  Join(directories, " or ") + "; write one with nvidia-ctk cdi generate");
}

}  // namespace aliquot::agent
