// SPDX-License-Identifier: Apache-2.0
#include "admission/patch.h"

#include <utility>

namespace aliquot::admission {

using nlohmann::json;

void Patch::Add(const std::string& path, json value) {
  operations_.push_back({{"op", "add"}, {"path", path}, {"value", std::move(value)}});
}

void Patch::Replace(const std::string& path, json value) {
  operations_.push_back({{"op", "replace"}, {"path", path}, {"value", std::move(value)}});
}

void Patch::Remove(const std::string& path) {
  operations_.push_back({{"op", "remove"}, {"path", path}});
}

std::string Patch::Member(std::string_view path, std::string_view key) {
  std::string pointer(path);
  pointer += '/';
  for (const char c : key) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
  return pointer;
}

bool SetInMap(Patch& patch, const std::string& path, const json* map, bool& map_added,
              const std::string& key, const std::string& value) {
  if (map == nullptr || map->is_null()) {
    if (!map_added) {
      patch.Add(path, json::object());
      map_added = true;
    }
    patch.Add(Patch::Member(path, key), value);
    return false;
  }
  const auto present = map->find(key);
  if (present == map->end()) {
    patch.Add(Patch::Member(path, key), value);
    return false;
  }
  if (*present == value) {
    return false;
  }
  patch.Replace(Patch::Member(path, key), value);
  return true;
}

}  // namespace aliquot::admission
