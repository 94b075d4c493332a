// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "program/problems.h"

namespace aliquot::program {

// One value of a YAML document, with its line. Our own tree, built from yaml-cpp's events:
// yaml-cpp's has no repeated keys or anchors left to refuse, and takes several times the memory of
// a large cluster file.
struct YamlValue {
  enum class Kind { kNull, kScalar, kList, kMap };

  Kind kind = Kind::kNull;
  // kScalar: written without quotes, so it may be a number or a word such as true.
  bool plain = false;
  int line = 0;                  // from 1
  std::string text;              // kScalar
  std::vector<YamlValue> items;  // kList: the items; kMap: the values, parallel to `keys`
  // kMap: each key once, in the order written.
  std::vector<std::string> keys;
  std::vector<int> key_lines;  // kMap: parallel to `keys`

  // A map's value of that key, or nullptr.
  const YamlValue* Find(std::string_view key) const;
};

// Reads exactly one document. What is not plain data is a problem with its line: anchors, aliases,
// merge keys, tags, repeated keys, keys that are not text, a second document, more than 16 levels.
// `file` is the name in problems. Nothing is returned when there was any problem. Thread-safe.
std::optional<YamlValue> ParseYaml(std::string_view text, const std::string& file,
                                   Problems& problems);

// The same of a file of at most `max_bytes`.
std::optional<YamlValue> LoadYaml(const std::string& file, std::size_t max_bytes,
                                  Problems& problems);

}  // namespace aliquot::program
