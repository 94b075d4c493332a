// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "program/problems.h"
#include "program/yaml_document.h"

namespace aliquot::program {

// Where a value stands: "pods[3].containers[0].core". Links to its parent, so that a large file
// builds the text only for its problems. The parent must outlive it.
class YamlPath {
 public:
  YamlPath() = default;  // the document itself
  YamlPath(const YamlPath& parent, std::string_view key) : parent_(&parent), key_(key) {}
  YamlPath(const YamlPath& parent, std::size_t index)
      : parent_(&parent), index_(static_cast<std::int64_t>(index)) {}

  std::string ToString() const;

 private:
  const YamlPath* parent_ = nullptr;
  std::string_view key_;
  std::int64_t index_ = -1;
};

// The file that values come from, and where its problems go.
struct YamlSource {
  std::string file;
  Problems& problems;

  std::string Where(int line) const { return file + ":" + std::to_string(line); }
};

// A duration as the configuration writes it: a whole number with one unit, ms, s, m or h.
std::optional<std::chrono::milliseconds> ParseDuration(std::string_view text);
// In the largest unit that needs no fraction.
std::string FormatDuration(std::chrono::milliseconds duration);

// Reads a map key by key and reports what does not fit: each getter takes a value of the wrong type
// or out of range as a problem and returns the fallback, so that reading goes on to the next one.
// Source, value and path must outlive it. Not thread-safe.
class MapReader {
 public:
  // A value that is no map is a problem too, and then reads like an empty one.
  MapReader(YamlSource& source, const YamlValue& value, const YamlPath& path);

  bool Has(std::string_view key) const { return value_.Find(key) != nullptr; }
  // "" and a problem when it is missing or empty.
  std::string RequiredText(std::string_view key);
  std::string Text(std::string_view key, std::string_view fallback);
  // One of `choices`.
  std::string Choice(std::string_view key, std::string fallback,
                     const std::vector<std::string_view>& choices);
  bool Boolean(std::string_view key, bool fallback);
  std::int64_t Integer(std::string_view key, std::int64_t fallback, std::int64_t least,
                       std::int64_t most);
  std::optional<std::int64_t> RequiredInteger(std::string_view key, std::int64_t least,
                                              std::int64_t most);
  std::chrono::milliseconds Duration(std::string_view key, std::chrono::milliseconds fallback,
                                     std::chrono::milliseconds least,
                                     std::chrono::milliseconds most);
  // nullopt when the key is missing or not such a list.
  std::optional<std::vector<int>> Integers(std::string_view key, int least, int most);
  // The same of texts; an empty one is a problem.
  std::optional<std::vector<std::string>> Texts(std::string_view key);
  // nullptr when the key is missing, or its value is of another kind (then also a problem).
  const YamlValue* List(std::string_view key);
  const YamlValue* Map(std::string_view key);

  // Call last: every key that no getter asked for is a problem.
  void RefuseUnknownKeys();

  // A problem at the line of that key, or of the map where it has none. `sentence` follows the
  // path: "is 7; ...".
  void Complain(std::string_view key, std::string_view sentence);
  void MissingKey(std::string_view key);
  int LineOf(std::string_view key) const;
  const YamlPath& path() const { return path_; }
  YamlSource& source() { return source_; }

 private:
  // Marks the key as known; nullptr when it is missing or has no value (then a problem).
  const YamlValue* Take(std::string_view key);
  const YamlValue* TakeKind(std::string_view key, YamlValue::Kind kind, std::string_view what);
  std::optional<std::int64_t> Number(std::string_view key, std::int64_t least, std::int64_t most);

  YamlSource& source_;
  const YamlValue& value_;
  const YamlPath& path_;
  std::vector<bool> known_;  // parallel to the map's keys
};

// A plain whole number, also negative; nothing for any other value.
std::optional<std::int64_t> YamlInteger(const YamlValue& value);

}  // namespace aliquot::program
