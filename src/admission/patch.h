// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace aliquot::admission {

// Collects an RFC 6902 patch against one object. Paths are JSON pointers (RFC 6901). Not
// thread-safe.
class Patch {
 public:
  void Add(const std::string& path, nlohmann::json value);
  void Replace(const std::string& path, nlohmann::json value);
  void Remove(const std::string& path);

  bool empty() const { return operations_.empty(); }
  const nlohmann::json& operations() const { return operations_; }

  // "/metadata/labels" and "aliquot.io/gpu" to "/metadata/labels/aliquot.io~1gpu".
  static std::string Member(std::string_view path, std::string_view key);

 private:
  nlohmann::json operations_ = nlohmann::json::array();
};

// Appends what sets `key` to `value` in a map of strings at `path` of which `map` is the present
// state (nullptr or null = there is none). Nothing is appended when it has that value already.
// Returns whether another value was there.
//
// A missing map is added whole by the first such call; `map_added` remembers that between calls.
bool SetInMap(Patch& patch, const std::string& path, const nlohmann::json* map, bool& map_added,
              const std::string& key, const std::string& value);

}  // namespace aliquot::admission
